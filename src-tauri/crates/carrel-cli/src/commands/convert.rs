//! `convert`

use crate::args::ConvertArgs;
use crate::output::Output;
use crate::{password, signals};
use carrel_api::dto::ConvertRequestDto;
use carrel_api::{AppConfig, Problem};

pub(crate) fn run(args: ConvertArgs, config: &AppConfig, output: &Output) -> Result<u8, Problem> {
    let password = password::read(args.password, args.password_stdin)?;
    let path = std::path::absolute(&args.file).unwrap_or(args.file);
    let path = path.into_os_string().into_string().map_err(|p| {
        Problem::bad_request(format!("{} is not a name in Unicode", p.display())).hint("rename a copy of it")
    })?;
    let cancel = signals::cancel_on_interrupt();
    let converted = carrel_api::convert_file(config, ConvertRequestDto { path, password }, &cancel)?;
    for warning in &converted.warnings {
        output.message(format!("warning: {}", warning.message));
    }
    if output.json {
        output.document(&converted);
    } else {
        output.raw(&converted.markdown);
        if !converted.markdown.ends_with('\n') {
            output.raw("\n");
        }
    }
    Ok(0)
}
