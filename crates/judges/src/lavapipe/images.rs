//! Types that own Vulkan images, texel buffers and samplers, and destroy them when dropped.

use ash::vk;
use crestline_device::{AddressMode, BorderColor, Filter, Sampler};

use super::objects::MappedBuffer;
use super::raster_state::compare_op;
use super::{Buffer, BufferKind, Dimension, Image, JobError, Texture, vulkan};

/// Vulkan formats by their GLSL names.
const FORMATS: &[(&str, vk::Format)] = &[
    ("rgba32f", vk::Format::R32G32B32A32_SFLOAT),
    ("rgba16f", vk::Format::R16G16B16A16_SFLOAT),
    ("rg32f", vk::Format::R32G32_SFLOAT),
    ("rg16f", vk::Format::R16G16_SFLOAT),
    ("r11f_g11f_b10f", vk::Format::B10G11R11_UFLOAT_PACK32),
    ("r32f", vk::Format::R32_SFLOAT),
    ("r16f", vk::Format::R16_SFLOAT),
    ("rgba16", vk::Format::R16G16B16A16_UNORM),
    ("rgb10_a2", vk::Format::A2B10G10R10_UNORM_PACK32),
    ("rgba8", vk::Format::R8G8B8A8_UNORM),
    ("rg16", vk::Format::R16G16_UNORM),
    ("rg8", vk::Format::R8G8_UNORM),
    ("r16", vk::Format::R16_UNORM),
    ("r8", vk::Format::R8_UNORM),
    ("rgba16_snorm", vk::Format::R16G16B16A16_SNORM),
    ("rgba8_snorm", vk::Format::R8G8B8A8_SNORM),
    ("rg16_snorm", vk::Format::R16G16_SNORM),
    ("rg8_snorm", vk::Format::R8G8_SNORM),
    ("r16_snorm", vk::Format::R16_SNORM),
    ("r8_snorm", vk::Format::R8_SNORM),
    ("rgba32i", vk::Format::R32G32B32A32_SINT),
    ("rgba16i", vk::Format::R16G16B16A16_SINT),
    ("rgba8i", vk::Format::R8G8B8A8_SINT),
    ("rg32i", vk::Format::R32G32_SINT),
    ("rg16i", vk::Format::R16G16_SINT),
    ("rg8i", vk::Format::R8G8_SINT),
    ("r32i", vk::Format::R32_SINT),
    ("r16i", vk::Format::R16_SINT),
    ("r8i", vk::Format::R8_SINT),
    ("rgba32ui", vk::Format::R32G32B32A32_UINT),
    ("rgba16ui", vk::Format::R16G16B16A16_UINT),
    ("rgb10_a2ui", vk::Format::A2B10G10R10_UINT_PACK32),
    ("rgba8ui", vk::Format::R8G8B8A8_UINT),
    ("rg32ui", vk::Format::R32G32_UINT),
    ("rg16ui", vk::Format::R16G16_UINT),
    ("rg8ui", vk::Format::R8G8_UINT),
    ("r32ui", vk::Format::R32_UINT),
    ("r16ui", vk::Format::R16_UINT),
    ("r8ui", vk::Format::R8_UINT),
];

/// Vulkan formats without a name in GLSL, by the names that this crate gives them. Attachments can have them.
const ATTACHMENT_FORMATS: &[(&str, vk::Format, usize)] = &[
    ("rgba8_srgb", vk::Format::R8G8B8A8_SRGB, 4),
    ("bgra8", vk::Format::B8G8R8A8_UNORM, 4),
    ("bgra8_srgb", vk::Format::B8G8R8A8_SRGB, 4),
    ("b5g6r5", vk::Format::R5G6B5_UNORM_PACK16, 2),
    ("b5g5r5a1", vk::Format::A1R5G5B5_UNORM_PACK16, 2),
    ("bgr10_a2", vk::Format::A2R10G10B10_UNORM_PACK32, 4),
    ("d16", vk::Format::D16_UNORM, 2),
    ("d24s8", vk::Format::D24_UNORM_S8_UINT, 4),
    ("d32", vk::Format::D32_SFLOAT, 4),
    ("s8", vk::Format::S8_UINT, 1),
];

/// Compressed formats by their names in this crate: width, height and bytes of a block.
const COMPRESSED: &[(&str, vk::Format, [u32; 2], usize)] = &[
    ("bc1", vk::Format::BC1_RGBA_UNORM_BLOCK, [4, 4], 8),
    ("bc1_srgb", vk::Format::BC1_RGBA_SRGB_BLOCK, [4, 4], 8),
    ("bc1_rgb", vk::Format::BC1_RGB_UNORM_BLOCK, [4, 4], 8),
    ("bc1_rgb_srgb", vk::Format::BC1_RGB_SRGB_BLOCK, [4, 4], 8),
    ("bc2", vk::Format::BC2_UNORM_BLOCK, [4, 4], 16),
    ("bc2_srgb", vk::Format::BC2_SRGB_BLOCK, [4, 4], 16),
    ("bc3", vk::Format::BC3_UNORM_BLOCK, [4, 4], 16),
    ("bc3_srgb", vk::Format::BC3_SRGB_BLOCK, [4, 4], 16),
    ("bc4", vk::Format::BC4_UNORM_BLOCK, [4, 4], 8),
    ("bc4_snorm", vk::Format::BC4_SNORM_BLOCK, [4, 4], 8),
    ("bc5", vk::Format::BC5_UNORM_BLOCK, [4, 4], 16),
    ("bc5_snorm", vk::Format::BC5_SNORM_BLOCK, [4, 4], 16),
    ("bc6h_ufloat", vk::Format::BC6H_UFLOAT_BLOCK, [4, 4], 16),
    ("bc6h_sfloat", vk::Format::BC6H_SFLOAT_BLOCK, [4, 4], 16),
    ("bc7", vk::Format::BC7_UNORM_BLOCK, [4, 4], 16),
    ("bc7_srgb", vk::Format::BC7_SRGB_BLOCK, [4, 4], 16),
    ("etc2_rgb8", vk::Format::ETC2_R8G8B8_UNORM_BLOCK, [4, 4], 8),
    ("etc2_rgb8_srgb", vk::Format::ETC2_R8G8B8_SRGB_BLOCK, [4, 4], 8),
    ("etc2_rgb8a1", vk::Format::ETC2_R8G8B8A1_UNORM_BLOCK, [4, 4], 8),
    ("etc2_rgb8a1_srgb", vk::Format::ETC2_R8G8B8A1_SRGB_BLOCK, [4, 4], 8),
    ("etc2_rgba8", vk::Format::ETC2_R8G8B8A8_UNORM_BLOCK, [4, 4], 16),
    ("etc2_rgba8_srgb", vk::Format::ETC2_R8G8B8A8_SRGB_BLOCK, [4, 4], 16),
    ("eac_r11", vk::Format::EAC_R11_UNORM_BLOCK, [4, 4], 8),
    ("eac_r11_snorm", vk::Format::EAC_R11_SNORM_BLOCK, [4, 4], 8),
    ("eac_rg11", vk::Format::EAC_R11G11_UNORM_BLOCK, [4, 4], 16),
    ("eac_rg11_snorm", vk::Format::EAC_R11G11_SNORM_BLOCK, [4, 4], 16),
    ("astc_4x4", vk::Format::ASTC_4X4_UNORM_BLOCK, [4, 4], 16),
    ("astc_4x4_srgb", vk::Format::ASTC_4X4_SRGB_BLOCK, [4, 4], 16),
    ("astc_5x4", vk::Format::ASTC_5X4_UNORM_BLOCK, [5, 4], 16),
    ("astc_5x4_srgb", vk::Format::ASTC_5X4_SRGB_BLOCK, [5, 4], 16),
    ("astc_5x5", vk::Format::ASTC_5X5_UNORM_BLOCK, [5, 5], 16),
    ("astc_5x5_srgb", vk::Format::ASTC_5X5_SRGB_BLOCK, [5, 5], 16),
    ("astc_6x5", vk::Format::ASTC_6X5_UNORM_BLOCK, [6, 5], 16),
    ("astc_6x5_srgb", vk::Format::ASTC_6X5_SRGB_BLOCK, [6, 5], 16),
    ("astc_6x6", vk::Format::ASTC_6X6_UNORM_BLOCK, [6, 6], 16),
    ("astc_6x6_srgb", vk::Format::ASTC_6X6_SRGB_BLOCK, [6, 6], 16),
    ("astc_8x5", vk::Format::ASTC_8X5_UNORM_BLOCK, [8, 5], 16),
    ("astc_8x5_srgb", vk::Format::ASTC_8X5_SRGB_BLOCK, [8, 5], 16),
    ("astc_8x6", vk::Format::ASTC_8X6_UNORM_BLOCK, [8, 6], 16),
    ("astc_8x6_srgb", vk::Format::ASTC_8X6_SRGB_BLOCK, [8, 6], 16),
    ("astc_8x8", vk::Format::ASTC_8X8_UNORM_BLOCK, [8, 8], 16),
    ("astc_8x8_srgb", vk::Format::ASTC_8X8_SRGB_BLOCK, [8, 8], 16),
    ("astc_10x5", vk::Format::ASTC_10X5_UNORM_BLOCK, [10, 5], 16),
    ("astc_10x5_srgb", vk::Format::ASTC_10X5_SRGB_BLOCK, [10, 5], 16),
    ("astc_10x6", vk::Format::ASTC_10X6_UNORM_BLOCK, [10, 6], 16),
    ("astc_10x6_srgb", vk::Format::ASTC_10X6_SRGB_BLOCK, [10, 6], 16),
    ("astc_10x8", vk::Format::ASTC_10X8_UNORM_BLOCK, [10, 8], 16),
    ("astc_10x8_srgb", vk::Format::ASTC_10X8_SRGB_BLOCK, [10, 8], 16),
    ("astc_10x10", vk::Format::ASTC_10X10_UNORM_BLOCK, [10, 10], 16),
    ("astc_10x10_srgb", vk::Format::ASTC_10X10_SRGB_BLOCK, [10, 10], 16),
    ("astc_12x10", vk::Format::ASTC_12X10_UNORM_BLOCK, [12, 10], 16),
    ("astc_12x10_srgb", vk::Format::ASTC_12X10_SRGB_BLOCK, [12, 10], 16),
    ("astc_12x12", vk::Format::ASTC_12X12_UNORM_BLOCK, [12, 12], 16),
    ("astc_12x12_srgb", vk::Format::ASTC_12X12_SRGB_BLOCK, [12, 12], 16),
];

impl Image {
    /// The row of a compressed format.
    fn compression(&self) -> Option<&'static (&'static str, vk::Format, [u32; 2], usize)> {
        COMPRESSED.iter().find(|row| row.0 == self.format)
    }

    pub(super) fn vulkan_format(&self) -> Result<vk::Format, JobError> {
        let named = FORMATS.iter().find(|(name, _)| *name == self.format).map(|row| row.1);
        let other = || {
            let row = ATTACHMENT_FORMATS.iter().find(|(name, ..)| *name == self.format);
            row.map(|row| row.1).or_else(|| self.compression().map(|row| row.1))
        };
        let unknown = || JobError::Interface(format!("{} is no image format", self.format));
        named.or_else(other).ok_or_else(unknown)
    }

    /// Bytes of all texels of that many levels; `None` if the format is unknown or the size overflows.
    pub(crate) fn bytes(&self, levels: u32) -> Option<usize> {
        if let Some((.., bytes)) = ATTACHMENT_FORMATS.iter().find(|row| row.0 == self.format) {
            return self.blocks(levels, [1, 1])?.checked_mul(*bytes);
        }
        if let Some((.., block, bytes)) = self.compression() {
            return self.blocks(levels, *block)?.checked_mul(*bytes);
        }
        let name = FORMATS.iter().find(|(name, _)| *name == self.format)?.0;
        let bits = match name.split_at(name.find(|c: char| c.is_ascii_digit())?) {
            ("r", rest) if rest.starts_with("11f") => 32,
            ("rgb", _) => 32,
            (channels, rest) => {
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                channels.len() * rest[..digits].parse::<usize>().ok()?
            }
        };
        self.blocks(levels, [1, 1])?.checked_mul(bits / 8)
    }

    /// The number of blocks of that size in texels in that many levels; `None` if it overflows.
    fn blocks(&self, levels: u32, [columns, rows]: [u32; 2]) -> Option<usize> {
        (0..levels).try_fold(0usize, |sum, level| {
            let vk::Extent3D { width, height, depth } = self.extent(level);
            let sides = [width.div_ceil(columns), height.div_ceil(rows), depth, self.layers()];
            let blocks = sides.iter().try_fold(1usize, |b, &n| b.checked_mul(n as usize))?;
            sum.checked_add(blocks)
        })
    }

    /// Width, height and depth of a level. Layers do not count as depth.
    fn extent(&self, level: u32) -> vk::Extent3D {
        let half = |side: u32| side.checked_shr(level).unwrap_or(0).max(1);
        let [width, height, depth] = self.size;
        let depth = if self.dimension == Dimension::D3 { half(depth) } else { 1 };
        vk::Extent3D { width: half(width), height: half(height), depth }
    }

    fn layers(&self) -> u32 {
        if self.dimension == Dimension::D3 { 1 } else { self.size[2] }
    }

    fn types(&self) -> (vk::ImageType, vk::ImageViewType) {
        match self.dimension {
            Dimension::D1 | Dimension::Buffer => {
                (vk::ImageType::TYPE_1D, vk::ImageViewType::TYPE_1D)
            }
            Dimension::D1Array => (vk::ImageType::TYPE_1D, vk::ImageViewType::TYPE_1D_ARRAY),
            Dimension::D2 => (vk::ImageType::TYPE_2D, vk::ImageViewType::TYPE_2D),
            Dimension::D2Array => (vk::ImageType::TYPE_2D, vk::ImageViewType::TYPE_2D_ARRAY),
            Dimension::D3 => (vk::ImageType::TYPE_3D, vk::ImageViewType::TYPE_3D),
            Dimension::Cube => (vk::ImageType::TYPE_2D, vk::ImageViewType::CUBE),
            Dimension::CubeArray => (vk::ImageType::TYPE_2D, vk::ImageViewType::CUBE_ARRAY),
        }
    }
}

impl Texture {
    fn vulkan_format(&self) -> Result<vk::Format, JobError> {
        match (self.depth, self.image.format) {
            (false, _) => self.image.vulkan_format(),
            (true, "r32f") => Ok(vk::Format::D32_SFLOAT),
            (true, "r16") => Ok(vk::Format::D16_UNORM),
            (true, other) => Err(JobError::Interface(format!("{other} is no format of depths"))),
        }
    }
}

/// An image with its memory and view, or the view of a texel buffer; and a sampler, if there is one.
pub(super) struct BoundImage<'d> {
    device: &'d ash::Device,
    image: Image,
    levels: u32,
    aspect: vk::ImageAspectFlags,
    /// Whether the job may write it, so that its contents are read afterwards.
    written: bool,
    /// Number of samples of a texel.
    samples: u32,
    pub(super) sampler: vk::Sampler,
    handle: vk::Image,
    memory: vk::DeviceMemory,
    pub(super) view: vk::ImageView,
    pub(super) buffer_view: vk::BufferView,
}

impl<'d> BoundImage<'d> {
    /// Makes the image, texel buffer view or sampler of `buffer`; `None` for other kinds. `texels` contains the texels
    /// of an image, and is the memory of a texel buffer.
    pub(super) fn new(
        device: &'d ash::Device,
        memory: &vk::PhysicalDeviceMemoryProperties,
        buffer: &Buffer,
        texels: &MappedBuffer<'_>,
    ) -> Result<Option<Self>, JobError> {
        let nothing = Image { dimension: Dimension::D1, size: [0; 3], format: "" };
        let (texture, state) = match buffer.kind {
            BufferKind::Image(image) => (Texture::new(image), None),
            BufferKind::Texture(texture) => (texture, texture.sampler),
            BufferKind::Sampler(state) => {
                (Texture { levels: 0, ..Texture::new(nothing) }, Some(state))
            }
            BufferKind::Storage | BufferKind::Uniform => return Ok(None),
        };
        let Texture { image, levels, depth, samples, attachment, .. } = texture;
        let mut made = BoundImage {
            device,
            image,
            levels,
            aspect: match (depth, image.format) {
                (true, _) | (_, "d24s8") => vk::ImageAspectFlags::DEPTH,
                (_, "s8") => vk::ImageAspectFlags::STENCIL,
                _ => vk::ImageAspectFlags::COLOR,
            },
            written: matches!(buffer.kind, BufferKind::Image(_)),
            samples,
            sampler: vk::Sampler::null(),
            handle: vk::Image::null(),
            memory: vk::DeviceMemory::null(),
            view: vk::ImageView::null(),
            buffer_view: vk::BufferView::null(),
        };
        if let Some(state) = state {
            made.sampler = new_sampler(device, &state)?;
        }
        if levels == 0 {
            return Ok(Some(made));
        }
        let format = texture.vulkan_format()?;
        if image.dimension == Dimension::Buffer {
            let info = vk::BufferViewCreateInfo::default()
                .buffer(texels.handle())
                .format(format)
                .range(vk::WHOLE_SIZE);
            // SAFETY: the buffer is live, and was made for texel views.
            made.buffer_view = unsafe { device.create_buffer_view(&info, None) }
                .map_err(vulkan("vkCreateBufferView"))?;
            return Ok(Some(made));
        }
        let (ty, view) = image.types();
        let cube = matches!(image.dimension, Dimension::Cube | Dimension::CubeArray);
        let flags = match cube {
            true => vk::ImageCreateFlags::CUBE_COMPATIBLE,
            false => vk::ImageCreateFlags::empty(),
        };
        let read = match made.written {
            true => vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_SRC,
            false => vk::ImageUsageFlags::SAMPLED,
        };
        let attached = match attachment {
            true => vk::ImageUsageFlags::INPUT_ATTACHMENT,
            false => vk::ImageUsageFlags::empty(),
        };
        // A copy cannot fill an image with several samples, but a shader can.
        let filled = match samples > 1 {
            true => vk::ImageUsageFlags::STORAGE,
            false => vk::ImageUsageFlags::empty(),
        };
        let usage = read | attached | filled | vk::ImageUsageFlags::TRANSFER_DST;
        made.create(memory, format, (ty, view), flags, usage)?;
        Ok(Some(made))
    }

    /// Makes an attachment: one level that a draw call can render to. Shaders can read the samples of one with several, and
    /// store those of colours.
    pub(super) fn attachment(
        device: &'d ash::Device,
        memory: &vk::PhysicalDeviceMemoryProperties,
        image: Image,
        samples: u32,
    ) -> Result<Self, JobError> {
        let (aspect, usage) = match image.format {
            "d16" | "d32" => {
                (vk::ImageAspectFlags::DEPTH, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT)
            }
            "s8" => (vk::ImageAspectFlags::STENCIL, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT),
            _ => (vk::ImageAspectFlags::COLOR, vk::ImageUsageFlags::COLOR_ATTACHMENT),
        };
        let mut made = BoundImage {
            device,
            image,
            levels: 1,
            aspect,
            written: true,
            samples,
            sampler: vk::Sampler::null(),
            handle: vk::Image::null(),
            memory: vk::DeviceMemory::null(),
            view: vk::ImageView::null(),
            buffer_view: vk::BufferView::null(),
        };
        let copied = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let none = vk::ImageCreateFlags::empty();
        let by_shaders = match (samples > 1, aspect) {
            (false, _) => vk::ImageUsageFlags::empty(),
            (true, vk::ImageAspectFlags::COLOR) => {
                vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE
            }
            (true, _) => vk::ImageUsageFlags::SAMPLED,
        };
        let usage = usage | copied | by_shaders;
        made.create(memory, image.vulkan_format()?, image.types(), none, usage)?;
        Ok(made)
    }

    /// Makes an image for copies.
    pub(super) fn copied(
        device: &'d ash::Device,
        memory: &vk::PhysicalDeviceMemoryProperties,
        image: Image,
        levels: u32,
    ) -> Result<Self, JobError> {
        let mut made = BoundImage {
            device,
            image,
            levels,
            aspect: vk::ImageAspectFlags::COLOR,
            written: true,
            samples: 1,
            sampler: vk::Sampler::null(),
            handle: vk::Image::null(),
            memory: vk::DeviceMemory::null(),
            view: vk::ImageView::null(),
            buffer_view: vk::BufferView::null(),
        };
        let usage = vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let none = vk::ImageCreateFlags::empty();
        made.create(memory, image.vulkan_format()?, image.types(), none, usage)?;
        Ok(made)
    }

    /// The image's handle.
    pub(super) fn handle(&self) -> vk::Image {
        self.handle
    }

    /// Makes the image, its memory and its view.
    fn create(
        &mut self,
        memory: &vk::PhysicalDeviceMemoryProperties,
        format: vk::Format,
        (ty, view): (vk::ImageType, vk::ImageViewType),
        flags: vk::ImageCreateFlags,
        usage: vk::ImageUsageFlags,
    ) -> Result<(), JobError> {
        let (device, image, levels) = (self.device, self.image, self.levels);
        let samples = vk::SampleCountFlags::from_raw(self.samples);
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(ty)
            .format(format)
            .extent(image.extent(0))
            .mip_levels(levels)
            .array_layers(image.layers())
            .samples(samples)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage);
        // SAFETY: `info` lives through the call.
        self.handle =
            unsafe { device.create_image(&info, None) }.map_err(vulkan("vkCreateImage"))?;
        // SAFETY: the image is live.
        let needs = unsafe { device.get_image_memory_requirements(self.handle) };
        let index = (0..memory.memory_type_count)
            .find(|index| needs.memory_type_bits & (1 << index) != 0)
            .ok_or_else(|| JobError::Interface("no memory type for images".into()))?;
        let info =
            vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        // SAFETY: `info` lives through the call.
        self.memory =
            unsafe { device.allocate_memory(&info, None) }.map_err(vulkan("vkAllocateMemory"))?;
        // SAFETY: the memory is as large and as aligned as the image asked for.
        unsafe { device.bind_image_memory(self.handle, self.memory, 0) }
            .map_err(vulkan("vkBindImageMemory"))?;
        let info = vk::ImageViewCreateInfo::default()
            .image(self.handle)
            .view_type(view)
            .format(format)
            .subresource_range(self.range());
        // SAFETY: the image is live and bound to memory.
        self.view = unsafe { device.create_image_view(&info, None) }
            .map_err(vulkan("vkCreateImageView"))?;
        Ok(())
    }

    fn range(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default()
            .aspect_mask(self.aspect)
            .level_count(self.levels)
            .layer_count(self.image.layers())
    }

    /// One copy per level.
    fn copies(&self) -> Vec<vk::BufferImageCopy> {
        let copy = |level| {
            let layers = vk::ImageSubresourceLayers::default()
                .aspect_mask(self.aspect)
                .mip_level(level)
                .layer_count(self.image.layers());
            vk::BufferImageCopy::default()
                .buffer_offset(self.image.bytes(level).unwrap_or(0) as u64)
                .image_subresource(layers)
                .image_extent(self.image.extent(level))
        };
        (0..self.levels).map(copy).collect()
    }

    /// Records the copy of the texels to the image, unless it has several samples. Shaders can use the image afterwards.
    ///
    /// # Safety
    ///
    /// `commands` is being recorded, and `texels` lives until it has run.
    pub(super) unsafe fn record_upload(
        &self,
        commands: vk::CommandBuffer,
        texels: &MappedBuffer<'_>,
    ) {
        if self.handle == vk::Image::null() {
            return;
        }
        let general = vk::ImageLayout::GENERAL;
        let shader = vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE;
        let barrier = |old, from, to| {
            [vk::ImageMemoryBarrier::default()
                .image(self.handle)
                .subresource_range(self.range())
                .old_layout(old)
                .new_layout(general)
                .src_access_mask(from)
                .dst_access_mask(to)]
        };
        let none = vk::DependencyFlags::empty();
        let (top, transfer, compute) = (
            vk::PipelineStageFlags::TOP_OF_PIPE,
            vk::PipelineStageFlags::TRANSFER,
            vk::PipelineStageFlags::COMPUTE_SHADER,
        );
        let write = vk::AccessFlags::TRANSFER_WRITE;
        let first = barrier(vk::ImageLayout::UNDEFINED, vk::AccessFlags::empty(), write);
        let second = barrier(general, write, shader);
        // SAFETY: the handles are live and stay so as the caller promises; the buffer holds the image's texels, since
        // `interface::check` compared the sizes.
        unsafe {
            self.device.cmd_pipeline_barrier(commands, top, transfer, none, &[], &[], &first);
            let (buffer, copies) = (texels.handle(), self.copies());
            if self.samples == 1 {
                let (to, device) = (self.handle, self.device);
                device.cmd_copy_buffer_to_image(commands, buffer, to, general, &copies);
            }
            self.device.cmd_pipeline_barrier(commands, transfer, compute, none, &[], &[], &second);
        }
    }

    /// Records that all depths and stencil values become these.
    ///
    /// # Safety
    ///
    /// As for [`BoundImage::record_upload`], after it.
    pub(super) unsafe fn record_clear(
        &self,
        commands: vk::CommandBuffer,
        value: vk::ClearDepthStencilValue,
    ) {
        let (device, ranges) = (self.device, [self.range()]);
        // SAFETY: as in `record_upload`, which has brought the image into this layout.
        unsafe {
            let general = vk::ImageLayout::GENERAL;
            device.cmd_clear_depth_stencil_image(commands, self.handle, general, &value, &ranges);
        }
    }

    /// Records the copy of the image, unless it has several samples, after shaders have written it, back to the texels.
    ///
    /// # Safety
    ///
    /// As for [`BoundImage::record_upload`].
    pub(super) unsafe fn record_download(
        &self,
        commands: vk::CommandBuffer,
        texels: &MappedBuffer<'_>,
    ) {
        if self.handle == vk::Image::null() || !self.written || self.samples > 1 {
            return;
        }
        let general = vk::ImageLayout::GENERAL;
        let written = [vk::ImageMemoryBarrier::default()
            .image(self.handle)
            .subresource_range(self.range())
            .old_layout(general)
            .new_layout(general)
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ)];
        let (compute, transfer) =
            (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::TRANSFER);
        let none = vk::DependencyFlags::empty();
        // SAFETY: as in `record_upload`.
        unsafe {
            self.device.cmd_pipeline_barrier(commands, compute, transfer, none, &[], &[], &written);
            let (buffer, copies) = (texels.handle(), self.copies());
            self.device.cmd_copy_image_to_buffer(commands, self.handle, general, buffer, &copies);
        }
    }
}

impl Drop for BoundImage<'_> {
    fn drop(&mut self) {
        // SAFETY: made from this device, null handles are allowed, and every submission that used them has been waited
        // for.
        unsafe {
            self.device.destroy_sampler(self.sampler, None);
            self.device.destroy_image_view(self.view, None);
            self.device.destroy_buffer_view(self.buffer_view, None);
            self.device.destroy_image(self.handle, None);
            self.device.free_memory(self.memory, None);
        }
    }
}

/// Vulkan's filter.
fn filter(filter: Filter) -> vk::Filter {
    match filter {
        Filter::Nearest => vk::Filter::NEAREST,
        Filter::Linear => vk::Filter::LINEAR,
    }
}

/// Vulkan's filters of magnification and minification, address modes and border colour.
pub fn sampler_modes<'a>(
    [magnify, minify]: [Filter; 2],
    address: [AddressMode; 3],
    border: BorderColor,
) -> vk::SamplerCreateInfo<'a> {
    let [u, v, w] = address.map(|mode| match mode {
        AddressMode::Repeat => vk::SamplerAddressMode::REPEAT,
        AddressMode::Clamp => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        AddressMode::Mirror => vk::SamplerAddressMode::MIRRORED_REPEAT,
        AddressMode::MirrorOnce => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
        AddressMode::Border => vk::SamplerAddressMode::CLAMP_TO_BORDER,
    });
    vk::SamplerCreateInfo::default()
        .mag_filter(filter(magnify))
        .min_filter(filter(minify))
        .address_mode_u(u)
        .address_mode_v(v)
        .address_mode_w(w)
        .border_color(match border {
            BorderColor::TransparentBlack => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
            BorderColor::OpaqueBlack => vk::BorderColor::FLOAT_OPAQUE_BLACK,
            BorderColor::OpaqueWhite => vk::BorderColor::FLOAT_OPAQUE_WHITE,
        })
}

/// Makes a sampler with that state.
fn new_sampler(device: &ash::Device, state: &Sampler) -> Result<vk::Sampler, JobError> {
    let mip = match state.mip {
        Filter::Nearest => vk::SamplerMipmapMode::NEAREST,
        Filter::Linear => vk::SamplerMipmapMode::LINEAR,
    };
    let compare = compare_op(state.compare.unwrap_or_default());
    let info = sampler_modes([state.filter; 2], [state.address; 3], state.border)
        .mipmap_mode(mip)
        .compare_enable(state.compare.is_some())
        .compare_op(compare)
        .max_lod(vk::LOD_CLAMP_NONE)
        .unnormalized_coordinates(!state.normalized);
    // SAFETY: `info` lives through the call.
    unsafe { device.create_sampler(&info, None) }.map_err(vulkan("vkCreateSampler"))
}
