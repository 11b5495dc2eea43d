//! `convert`

use crate::args::ConvertArgs;
use crate::output::Output;
use crate::table::{plain, plain_lines};
use crate::{password, places, progress, signals};
use carrel_api::dto::{ConvertRequestDto, FilePartDto};
use carrel_api::{AppConfig, Problem};

pub(crate) fn run(args: ConvertArgs, config: &AppConfig, output: &Output) -> Result<u8, Problem> {
    let password = password::read(args.password, args.password_stdin)?;
    let path = places::place(args.file);
    let cancel = signals::cancel_on_interrupt();
    let request = ConvertRequestDto { path, password };
    let mut begun = |part: &FilePartDto| progress::show(&part.for_people());
    let converted = carrel_api::convert_file(config, request, &cancel, &mut begun);
    progress::show("");
    let converted = converted?;
    for warning in &converted.warnings {
        output.message(format!("warning: {}", plain(&warning.message)));
    }
    if output.json {
        output.document(&converted);
    } else {
        output.raw(&plain_lines(&converted.markdown));
        if !converted.markdown.ends_with('\n') {
            output.raw("\n");
        }
    }
    Ok(0)
}
