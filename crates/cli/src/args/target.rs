//! The value of `--target`.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use crestline_device::{Gen, Platform};

/// Parses a platform. The error of a wrong name has the nearest one, and shells can complete the names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target;

/// The names of all platforms and generations.
fn names() -> impl Iterator<Item = String> {
    let platforms = Platform::ALL.iter().map(ToString::to_string);
    platforms.chain(Gen::ALL.iter().map(ToString::to_string))
}

impl TypedValueParser for Target {
    type Value = Platform;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Platform, Error> {
        if let Some(Ok(platform)) = value.to_str().map(str::parse) {
            return Ok(platform);
        }
        let name = PossibleValuesParser::new(names()).parse_ref(command, argument, value)?;
        name.parse().map_err(|_| Error::new(ErrorKind::InvalidValue).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(names().map(PossibleValue::new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_a_platform() {
        for name in names() {
            let value = Target.parse_ref(&Command::new("test"), None, name.as_ref());
            assert!(value.is_ok(), "{name}");
        }
    }
}
