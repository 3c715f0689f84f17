//! Writes a zebin: a section `.text.NAME` for each kernel, and the section `.ze_info` that
//! describes the kernels.
//!
//! It contains the parts of the metadata that `.ze_info` can express: register count, SIMD width,
//! workgroup size, barriers, shared memory, scratch, local ids, buffers by binding table index,
//! buffer addresses, push constants and sizes of the dispatch. Payload contents that only Vulkan
//! has (subgroup ids, image parameters) are omitted. Programs with constant data or relocations, of
//! stages other than compute, or with an entry point that is not at the start are refused.
//! Confirmed by `ocloc validate`.

use std::collections::BTreeSet;
use std::fmt::Write;

use crestline_device::Platform;
use object::Endianness;
use object::elf;
use object::write::elf::{FileHeader, SectionHeader, Writer};

use super::device::{FAMILY, OWNER, PRODUCT, product};
use super::zebin::{COMPATIBILITY, MACHINE, TEXT, ZE_INFO};
use crate::{
    ContainerError, Content, GRF_BYTES, Metadata, PayloadItem, ResourceRef, StageMetadata, Surface,
    ThreadPayload,
};

/// The version of the `.ze_info` format.
const VERSION: &str = "1.20";

/// Number of registers of a thread on every platform.
const GRF_COUNT: u32 = 128;

/// Alignment of the section of notes, in bytes.
const NOTE_ALIGNMENT: u64 = 4;

/// Alignment of code in bytes: kernels start at a cache line.
const CODE_ALIGNMENT: u64 = 64;

/// A kernel to write.
#[derive(Clone, Copy, Debug)]
pub struct ZebinKernel<'a> {
    /// Name; must be printable.
    pub name: &'a str,
    /// Machine code.
    pub code: &'a [u8],
    /// Number of channels of a thread.
    pub simd_width: u32,
    /// Everything else that a driver needs. Without metadata, the kernel has no arguments.
    pub metadata: Option<&'a Metadata>,
}

/// Writes a zebin for a platform.
///
/// # Errors
/// [`ContainerError::Unwritable`] if a name is not printable; if metadata have constant data,
/// relocations, another stage than compute, several entry points, or one that is not at the start
/// of the code; or if the container has no number for the platform (before Broadwell).
pub fn write_zebin(
    kernels: &[ZebinKernel<'_>],
    platform: Platform,
) -> Result<Vec<u8>, ContainerError> {
    let note = compatibility(platform)?;
    let info = ze_info(kernels)?;
    let names: Vec<String> =
        kernels.iter().map(|kernel| format!("{TEXT}{}", kernel.name)).collect();
    write_elf(kernels, &names, &info, &note)
        .map_err(|error| ContainerError::Unwritable { reason: error.to_string() })
}

/// Writes the ELF file. First reserves the place of each part, then writes the parts in the same
/// order.
fn write_elf(
    kernels: &[ZebinKernel<'_>],
    names: &[String],
    info: &str,
    note: &[u8],
) -> Result<Vec<u8>, object::write::Error> {
    let mut file = Vec::new();
    let mut writer = Writer::new(Endianness::Little, true, &mut file);
    writer.reserve_file_header();
    let mut code = Vec::new();
    for (kernel, name) in kernels.iter().zip(names) {
        let name = writer.add_section_name(name.as_bytes());
        writer.reserve_section_index();
        code.push((name, writer.reserve(kernel.code.len() as u64, CODE_ALIGNMENT)));
    }
    let info_name = writer.add_section_name(b".ze_info");
    writer.reserve_section_index();
    let info_at = writer.reserve(info.len() as u64, 1);
    let note_name = writer.add_section_name(COMPATIBILITY.as_bytes());
    writer.reserve_section_index();
    let note_at = writer.reserve(note.len() as u64, NOTE_ALIGNMENT);
    writer.reserve_shstrtab_section_index();
    writer.reserve_shstrtab()?;
    writer.reserve_section_headers();

    writer.write_file_header(&FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_REL,
        e_machine: elf::Machine(MACHINE),
        e_entry: 0,
        e_flags: elf::FileFlags(0),
    })?;
    for kernel in kernels {
        writer.write_align(CODE_ALIGNMENT);
        writer.write(kernel.code);
    }
    writer.write(info.as_bytes());
    writer.write_align(NOTE_ALIGNMENT);
    writer.write(note);
    writer.write_shstrtab();
    writer.write_null_section_header();
    let section = |name, kind, flags, offset, size, align| SectionHeader {
        sh_name: name,
        sh_type: kind,
        sh_flags: flags,
        sh_addr: 0,
        sh_offset: offset,
        sh_size: size,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: align,
        sh_entsize: 0,
    };
    for (kernel, (name, at)) in kernels.iter().zip(code) {
        let name = writer.section_name_offset(Some(name));
        let flags = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
        let size = kernel.code.len() as u64;
        writer.write_section_header(&section(
            name,
            elf::SHT_PROGBITS,
            flags,
            at,
            size,
            CODE_ALIGNMENT,
        ));
    }
    let (name, kind) = (writer.section_name_offset(Some(info_name)), elf::SectionType(ZE_INFO));
    let flags = elf::SectionFlags(0);
    writer.write_section_header(&section(name, kind, flags, info_at, info.len() as u64, 1));
    let name = writer.section_name_offset(Some(note_name));
    let size = note.len() as u64;
    let header = section(name, elf::SHT_NOTE, flags, note_at, size, NOTE_ALIGNMENT);
    writer.write_section_header(&header);
    writer.write_shstrtab_section_header();
    Ok(file)
}

/// The notes that name the device: product, family, revisions (all of them) and version of the
/// format.
fn compatibility(platform: Platform) -> Result<Vec<u8>, ContainerError> {
    let product = product(platform).ok_or_else(|| ContainerError::Unwritable {
        reason: format!("the zebin format has no device number for {platform}"),
    })?;
    let version = format!("{VERSION}\0");
    let notes: [(u32, &[u8]); 4] = [
        (PRODUCT, &product.to_le_bytes()),
        (FAMILY, &0u32.to_le_bytes()),
        (3, &0x0020_0000u32.to_le_bytes()),
        (4, version.as_bytes()),
    ];
    let mut out = Vec::new();
    for (kind, contents) in notes {
        for word in [OWNER.len() as u32, contents.len() as u32, kind] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&OWNER);
        out.extend_from_slice(contents);
        out.resize(out.len().next_multiple_of(4), 0);
    }
    Ok(out)
}

/// The text of `.ze_info`.
fn ze_info(kernels: &[ZebinKernel<'_>]) -> Result<String, ContainerError> {
    let mut out = format!("---\nversion: '{VERSION}'\nkernels:\n");
    for kernel in kernels {
        if kernel.name.is_empty() || kernel.name.chars().any(char::is_control) {
            let reason = format!("{:?} cannot be the name of a kernel", kernel.name);
            return Err(ContainerError::Unwritable { reason });
        }
        let name = kernel.name.replace('\'', "''");
        line(&mut out, &format!("  - name: '{name}'"));
        line(&mut out, "    execution_env:");
        line(&mut out, &format!("      grf_count: {GRF_COUNT}"));
        line(&mut out, &format!("      simd_size: {}", kernel.simd_width));
        if let Some(metadata) = kernel.metadata {
            described(&mut out, metadata)?;
        }
    }
    out.push_str("...\n");
    Ok(out)
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Adds the content of a kernel's metadata to its entry in `.ze_info`.
fn described(out: &mut String, metadata: &Metadata) -> Result<(), ContainerError> {
    if metadata.constant_data.is_some() || !metadata.relocations.is_empty() {
        let reason = "a zebin with constant data is not supported yet".to_owned();
        return Err(ContainerError::Unwritable { reason });
    }
    let StageMetadata::Compute(compute) = &metadata.stage else {
        let reason = "a zebin can contain compute programs only".to_owned();
        return Err(ContainerError::Unwritable { reason });
    };
    let dispatch = metadata.dispatches.first();
    if metadata.dispatches.count() > 1 || dispatch.offset != 0 {
        let reason =
            "a kernel of a zebin must have one entry point, at the start of its code".to_owned();
        return Err(ContainerError::Unwritable { reason });
    }
    let [x, y, z] = compute.local_size;
    line(out, &format!("      required_work_group_size: [{x}, {y}, {z}]"));
    if compute.uses_barrier {
        line(out, "      barrier_count: 1");
    }
    if compute.shared_bytes != 0 {
        line(out, &format!("      slm_size: {}", compute.shared_bytes));
    }
    arguments(out, metadata, &dispatch.payload);
    if let Some(ids) = &dispatch.payload.local_ids {
        let size = ids.dimensions * ids.registers_per_dimension * GRF_BYTES;
        line(out, "    per_thread_payload_arguments:");
        line(out, &format!("      - {{ arg_type: local_id, offset: 0, size: {size} }}"));
    }
    if metadata.scratch_bytes != 0 {
        line(out, "    per_thread_memory_buffers:");
        let size = metadata.scratch_bytes;
        line(out, &format!("      - {{ type: scratch, usage: spill_fill_space, size: {size} }}"));
    }
    Ok(())
}

/// Adds the arguments and the binding table. Buffers have the first argument numbers, in the order
/// of their [`ResourceRef`]; push constants have the next ones. Offsets of payload contents count
/// from the first cross-thread register.
fn arguments(out: &mut String, metadata: &Metadata, payload: &ThreadPayload) {
    let surfaces = metadata.binding_table.iter().filter_map(|entry| match entry.surface {
        Surface::StorageBuffer { resource } => Some((entry.index, resource, "readwrite")),
        Surface::UniformBuffer { resource } => Some((entry.index, resource, "readonly")),
        _ => None,
    });
    let items = &payload.items;
    let addresses = items.iter().filter_map(|item| match item.content {
        Content::BufferAddress { resource } => Some(resource),
        _ => None,
    });
    let buffers: BTreeSet<ResourceRef> =
        surfaces.clone().map(|(_, resource, _)| resource).chain(addresses).collect();
    let argument = |resource| buffers.iter().position(|known| *known == resource);
    // Writing to a string cannot fail.
    let (mut rows, mut table) = (String::new(), String::new());
    for (bti, resource, access) in surfaces {
        let index = argument(resource).unwrap_or_default();
        let _ = writeln!(
            rows,
            "      - {{ arg_type: arg_bypointer, offset: 0, size: 0, arg_index: {index}, \
             addrmode: stateful, addrspace: global, access_type: {access} }}"
        );
        let _ = writeln!(table, "      - {{ bti_value: {bti}, arg_index: {index} }}");
    }
    let start = payload.cross_thread.map_or(0, |range| range.start());
    let mut values = buffers.len()..;
    for PayloadItem { offset, size, content } in items {
        let (kind, index) = match content {
            Content::NumWorkgroups => ("group_count", None),
            Content::LocalSize => ("local_size", None),
            Content::GlobalSize => ("global_size", None),
            Content::GlobalOffset => ("global_id_offset", None),
            Content::WorkDimensions => ("work_dimensions", None),
            Content::PrivateMemoryAddress => ("private_base_stateless", None),
            Content::BufferAddress { resource } => ("buffer_address", argument(*resource)),
            Content::PushConstant { .. } => ("arg_byvalue", values.next()),
            _ => continue,
        };
        let Some(at) = offset.checked_sub(start) else { continue };
        let index = index.map_or(String::new(), |index| format!(", arg_index: {index}"));
        let _ = writeln!(rows, "      - {{ arg_type: {kind}, offset: {at}, size: {size}{index} }}");
    }
    for (key, rows) in [("payload_arguments", rows), ("binding_table_indices", table)] {
        if !rows.is_empty() {
            line(out, &format!("    {key}:"));
            out.push_str(&rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Container, read_kernels};

    #[test]
    fn what_is_written_reads_back() {
        let code = [0x7e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let text = include_str!("../../example/compute.json");
        let mut metadata = Metadata::from_json(text).expect("the documented example");
        (metadata.constant_data, metadata.relocations) = (None, Vec::new());
        let kernel = |name, metadata| ZebinKernel { name, code: &code, simd_width: 16, metadata };
        let both = [kernel("it's", None), kernel("b", Some(&metadata))];
        let file = write_zebin(&both, Platform::Skl);
        let file = file.expect("can be written");
        assert_eq!(Container::detect(&file), Container::Elf);
        let kernels = read_kernels(&file, Container::Elf).expect("reads back");
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["it's", "b"]);
        assert!(kernels.iter().all(|k| *k.code == code && k.simd_width == Some(16)));
        assert!(kernels.iter().all(|k| (k.offset as u64).is_multiple_of(CODE_ALIGNMENT)));
        let about = kernels[1].attributes.as_ref().map(|node| node.to_json()).expect("described");
        assert_eq!(about["execution_env"]["grf_count"], GRF_COUNT);
        assert!(write_zebin(&[kernel("a\nb", None)], Platform::Skl).is_err());
        assert!(write_zebin(&[kernel("a", None)], Platform::Ivb).is_err());
    }
}
