//! `convert`

use crate::args::ConvertArgs;
use crate::output::Output;
use crate::table::{plain, plain_lines};
use crate::{password, places, signals};
use carrel_api::dto::ConvertRequestDto;
use carrel_api::{AppConfig, Problem};

pub(crate) fn run(args: ConvertArgs, config: &AppConfig, output: &Output) -> Result<u8, Problem> {
    let password = password::read(args.password, args.password_stdin)?;
    let path = places::place(args.file);
    let cancel = signals::cancel_on_interrupt();
    let converted = carrel_api::convert_file(config, ConvertRequestDto { path, password }, &cancel)?;
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
