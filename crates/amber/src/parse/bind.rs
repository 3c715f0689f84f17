//! `BIND`.

use super::pipeline::MAX_LOCATION;
use super::{Object, Parser, wrong};
use crate::error::{Place, Result, ScriptError};
use crate::lexer::Kind;
use crate::script::{Attachment, Binding, Bound, Descriptor, Pipeline, PipelineKind};

/// The use of a bound buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Colour,
    DepthStencil,
    Resolve,
    PushConstants,
    Descriptor(Descriptor),
    Dynamic(Descriptor),
}

const USES: &[(&str, Use)] = &[
    ("color", Use::Colour),
    ("depth_stencil", Use::DepthStencil),
    ("resolve", Use::Resolve),
    ("push_constant", Use::PushConstants),
    ("uniform", Use::Descriptor(Descriptor::Uniform)),
    ("storage", Use::Descriptor(Descriptor::Storage)),
    ("uniform_dynamic", Use::Dynamic(Descriptor::Uniform)),
    ("storage_dynamic", Use::Dynamic(Descriptor::Storage)),
    ("uniform_texel_buffer", Use::Descriptor(Descriptor::UniformTexel)),
    ("storage_texel_buffer", Use::Descriptor(Descriptor::StorageTexel)),
    ("storage_image", Use::Descriptor(Descriptor::StorageImage)),
    ("sampled_image", Use::Descriptor(Descriptor::SampledImage)),
    ("combined_image_sampler", Use::Descriptor(Descriptor::Combined)),
];
/// The largest number of a descriptor set and of a binding.
const MAX_SET: u32 = 255;
/// The most elements of a descriptor array.
const MAX_ELEMENTS: usize = 4096;

impl Parser<'_> {
    /// `BIND ...`.
    pub(super) fn bind(&mut self, place: Place, pipeline: &mut Pipeline) -> Result<()> {
        let what = "BUFFER, BUFFER_ARRAY, SAMPLER or SAMPLER_ARRAY";
        let (word_place, word) = self.word(what)?;
        let (object, is_array) = match word {
            "BUFFER" | "IMAGE" => (Object::Buffer, false),
            "BUFFER_ARRAY" | "IMAGE_ARRAY" => (Object::Buffer, true),
            "SAMPLER" => (Object::Sampler, false),
            "SAMPLER_ARRAY" => (Object::Sampler, true),
            "ACCELERATION_STRUCTURE" => {
                self.ray_tracing(word_place);
                return self.rest_of_line();
            }
            other => return Err(wrong(word_place, what, other)),
        };
        let mut objects = vec![self.reference(object)?.1];
        while is_array && !matches!(self.lexer.peek()?.kind, Kind::Word("AS" | "DESCRIPTOR_SET")) {
            objects.push(self.reference(object)?.1);
            if objects.len() > MAX_ELEMENTS {
                let message = format!("the descriptor has more than {MAX_ELEMENTS} elements");
                return Err(ScriptError::new(place, message));
            }
        }
        let bound = |index: usize| match object {
            Object::Sampler => Bound { sampler: Some(index), ..Bound::default() },
            _ => Bound { buffer: Some(index), ..Bound::default() },
        };
        let elements = objects.into_iter().map(bound).collect();
        let mut binding =
            Binding { place, set: 0, binding: 0, kind: Descriptor::Sampler, elements };
        if object == Object::Sampler {
            if self.kernel(place)? {
                return Ok(());
            }
            self.set_and_binding(&mut binding)?;
            self.end_of_line()?;
            add(pipeline, binding);
            return Ok(());
        }
        if self.kernel(place)? {
            return Ok(());
        }
        self.keyword("AS")?;
        let wanted = self.choose(USES)?;
        let buffer = binding.elements[0].buffer.unwrap_or_default();
        let single = || {
            let message = "an array can only be bound as descriptors";
            if is_array { Err(ScriptError::new(place, message)) } else { Ok(()) }
        };
        let mut attachment = Attachment { place, buffer, location: 0, level: 0 };
        match wanted {
            Use::Colour | Use::DepthStencil | Use::Resolve => {
                single()?;
                if pipeline.kind == PipelineKind::Compute {
                    return Err(ScriptError::new(place, "a compute pipeline has no attachments"));
                }
                if self.script.buffers[buffer].image.is_none() {
                    let message = "an attachment must have a FORMAT";
                    return Err(ScriptError::new(place, message));
                }
                if wanted == Use::Colour {
                    self.keyword("LOCATION")?;
                    attachment.location = self.within("a location", 0, MAX_LOCATION)?;
                }
                if self.optional(&["BASE_MIP_LEVEL"])?.is_some() {
                    attachment.level = self.level(buffer)?;
                }
                match wanted {
                    Use::Colour => {
                        pipeline.colours.retain(|other| other.location != attachment.location);
                        pipeline.colours.push(attachment);
                    }
                    Use::DepthStencil => pipeline.depth_stencil = Some(attachment),
                    _ => pipeline.resolves.push(attachment),
                }
                self.end_of_line()
            }
            Use::PushConstants => {
                single()?;
                pipeline.push_constants = Some(buffer);
                self.end_of_line()
            }
            Use::Descriptor(kind) | Use::Dynamic(kind) => {
                binding.kind = kind;
                let dynamic = matches!(wanted, Use::Dynamic(_));
                self.descriptor(place, binding, dynamic, pipeline)
            }
        }
    }

    /// The arguments of an OpenCL kernel, which are not supported. Skips the rest of the line.
    fn kernel(&mut self, place: Place) -> Result<bool> {
        if !matches!(self.lexer.peek()?.kind, Kind::Word("KERNEL")) {
            return Ok(false);
        }
        self.unsupported(place, "arguments of OpenCL kernels");
        self.rest_of_line()?;
        Ok(true)
    }

    /// The rest of the binding of a descriptor.
    fn descriptor(
        &mut self,
        place: Place,
        mut binding: Binding,
        dynamic: bool,
        pipeline: &mut Pipeline,
    ) -> Result<()> {
        if self.kernel(place)? {
            return Ok(());
        }
        let image = matches!(
            binding.kind,
            Descriptor::StorageImage | Descriptor::SampledImage | Descriptor::Combined
        );
        if binding.kind == Descriptor::Combined {
            self.keyword("SAMPLER")?;
            for number in 0..binding.elements.len() {
                // One sampler is for all elements.
                let is_last = matches!(self.lexer.peek()?.kind, Kind::Word("DESCRIPTOR_SET"));
                binding.elements[number].sampler = match number.checked_sub(1) {
                    Some(before) if is_last => binding.elements[before].sampler,
                    _ => Some(self.reference(Object::Sampler)?.1),
                };
            }
        }
        self.set_and_binding(&mut binding)?;
        if dynamic {
            self.keyword("OFFSET")?;
            let offsets = self.numbers(binding.elements.len(), "an offset")?;
            for (element, offset) in binding.elements.iter_mut().zip(offsets) {
                element.offset = offset;
            }
        }
        let options: &[&str] = match (image, binding.kind) {
            (true, _) => &["BASE_MIP_LEVEL"],
            (_, Descriptor::Uniform | Descriptor::Storage) => {
                &["DESCRIPTOR_OFFSET", "DESCRIPTOR_RANGE"]
            }
            _ => &[],
        };
        while let Some((_, option)) = self.optional(options)? {
            if option == "BASE_MIP_LEVEL" {
                for number in 0..binding.elements.len() {
                    if number == 0 || !self.is_line_end()? {
                        let buffer = binding.elements[number].buffer.unwrap_or_default();
                        binding.elements[number].level = self.level(buffer)?;
                    }
                }
                continue;
            }
            let what = "a number of bytes";
            let is_offset = option == "DESCRIPTOR_OFFSET";
            for number in 0..binding.elements.len() {
                let value = self.number(what)?;
                let element = &mut binding.elements[number];
                let bytes = value.integer.and_then(|value| u64::try_from(value).ok());
                match bytes {
                    // -1 is the rest of the buffer.
                    None if !is_offset && value.integer == Some(-1) => element.range = None,
                    None => {
                        return Err(ScriptError::new(place, format!("{option}: expected {what}")));
                    }
                    Some(bytes) if is_offset => {
                        element.offset = element.offset.saturating_add(bytes);
                    }
                    bytes => element.range = bytes,
                }
            }
        }
        self.end_of_line()?;
        add(pipeline, binding);
        Ok(())
    }

    /// As many integers as a descriptor has elements.
    fn numbers(&mut self, count: usize, what: &str) -> Result<Vec<u64>> {
        (0..count).map(|_| self.integer::<u64>(what)).collect()
    }

    fn set_and_binding(&mut self, binding: &mut Binding) -> Result<()> {
        self.keyword("DESCRIPTOR_SET")?;
        binding.set = self.within("a descriptor set", 0, MAX_SET)?;
        self.keyword("BINDING")?;
        binding.binding = self.integer("a binding")?;
        Ok(())
    }

    /// A level of an image.
    fn level(&mut self, buffer: usize) -> Result<u32> {
        let levels = self.script.buffers[buffer].image.as_ref().map_or(1, |image| image.levels);
        self.within("a level of the image", 0, levels - 1)
    }
}

/// Adds a descriptor to a pipeline, in place of another with the same number.
pub(crate) fn add(pipeline: &mut Pipeline, binding: Binding) {
    let same = |other: &Binding| (other.set, other.binding) == (binding.set, binding.binding);
    pipeline.bindings.retain(|other| !same(other));
    pipeline.bindings.push(binding);
}
