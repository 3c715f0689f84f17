//! `--address`: places the addresses of buffers in the push constants and in other buffers before a run.

use crestline_emu::Resources;
use crestline_program::ResourceRef;

use crate::error::{Code, Failure};
use crate::grammar::{Address, Place};

/// Bytes of an address in memory, on all targets.
const ADDRESS_BYTES: usize = 8;

/// Gives all buffers addresses, and writes those that flags name to their places.
pub(crate) fn place(
    addresses: &[Address],
    resources: &mut Resources,
    push: &mut [u8],
) -> Result<(), Failure> {
    if addresses.is_empty() {
        return Ok(());
    }
    resources.assign_addresses().map_err(|error| Failure::new(Code::TooLarge, error))?;
    for flag in addresses {
        let target = ResourceRef::from(flag.target);
        let Some(address) = resources.address(target) else {
            return Err(missing(flag, target));
        };
        let bytes = address.wrapping_add(flag.plus).to_le_bytes();
        match flag.place {
            Place::Push => write(flag, push, bytes)?,
            Place::Buffer(descriptor) => {
                let resource = ResourceRef::from(descriptor);
                let Some(mut contents) = resources.buffer(resource) else {
                    return Err(missing(flag, resource));
                };
                write(flag, &mut contents, bytes)?;
                resources.set_buffer(resource, &contents);
            }
        }
    }
    Ok(())
}

fn missing(flag: &Address, resource: ResourceRef) -> Failure {
    let message = format!("--address {flag}: no buffer is bound at {resource}");
    Failure::new(Code::MissingResource, message)
        .help(format!("--bind {resource}=FILE or --bind {resource}=zero:BYTES"))
}

/// Writes an address to its place, which must be within `contents`.
fn write(flag: &Address, contents: &mut [u8], bytes: [u8; ADDRESS_BYTES]) -> Result<(), Failure> {
    let size = contents.len();
    let place =
        flag.offset.checked_add(ADDRESS_BYTES).and_then(|end| contents.get_mut(flag.offset..end));
    match place {
        Some(place) => {
            place.copy_from_slice(&bytes);
            Ok(())
        }
        None => {
            let message = format!(
                "--address {flag}: the place has {size} bytes: expected {ADDRESS_BYTES} bytes from byte {} on",
                flag.offset
            );
            Err(Failure::new(Code::ResourceSize, message))
        }
    }
}
