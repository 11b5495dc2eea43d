//! `carrel-worker`: converts documents for a parent process, and nothing else.

fn main() {
    std::process::exit(carrel_convert::serve());
}
