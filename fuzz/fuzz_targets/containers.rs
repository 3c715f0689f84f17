//! Containers: they are read or refused with a place inside, and kernels never share bytes, so
//! that memory stays below the size of the file.

#![no_main]

use crestline_program::{Container, ContainerError, read_kernels, write_hex};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    match read_kernels(data, Container::detect(data)) {
        Ok(kernels) => {
            let code: usize = kernels.iter().map(|kernel| kernel.code.len()).sum();
            // A number in text, `0x0` with what separates it from the next, is four bytes of code.
            assert!(code <= data.len() + 1, "{code} bytes of code in {} bytes", data.len());
            for kernel in &kernels {
                assert!(kernel.instructions().len() <= kernel.code.len());
                write_hex(kernel.instructions());
                kernel.attributes.as_ref().map(|node| node.to_json());
            }
        }
        Err(ContainerError::Malformed { offset, .. }) => assert!(offset <= data.len()),
        Err(_) => {}
    }
});
