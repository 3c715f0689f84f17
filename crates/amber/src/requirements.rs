//! The features and extensions that a script can require, and which of them the hardware has.

use crestline_device::{Device, Gen};

/// Why a feature cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It can be used.
    Yes,
    /// The hardware of the target lacks it: the script is skipped.
    Lacking(&'static str),
    /// Crestline does not support it: the script fails.
    Unsupported,
}

/// When a feature can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    /// From a generation on; a reason for the others.
    From(Gen, &'static str),
    /// No generation that Crestline compiles for has it.
    Never(&'static str),
    /// The formats of scripts have no command that uses it, so that a script does the same without it.
    NoCommand,
    /// The hardware could do it, but Crestline does not.
    NotYet,
}
use When::{Always, From, Never, NoCommand, NotYet};

/// Why scripts with a depth bounds test are skipped.
pub(crate) const NO_DEPTH_BOUNDS: &str = "there is no depth bounds test before gen12";
/// Why scripts with some vertex formats are skipped.
pub(crate) const NO_VERTEX_FORMAT: &str = "the device has no such vertex format before gen7.5";
/// The vertex formats that gen7 lacks, as a row of the documentation.
const VERTEX_FORMATS: &str =
    "VERTEX_DATA: three integers of 8 or 16 bits; A2B10G10R10 except UNORM and UINT; A2R10G10B10";
const RAYS: &str = "there is no ray tracing unit before gen12.5";
const MATRIX: &str = "there is no matrix unit before gen12.5";

/// Features with the names of the format.
const FEATURES: &[(&str, When)] = &[
    ("robustBufferAccess", Always),
    ("fullDrawIndexUint32", Always),
    ("imageCubeArray", Always),
    ("independentBlend", Always),
    ("geometryShader", Always),
    ("tessellationShader", Always),
    ("sampleRateShading", Always),
    ("dualSrcBlend", Always),
    ("logicOp", Always),
    ("multiDrawIndirect", NoCommand),
    ("drawIndirectFirstInstance", NoCommand),
    ("depthClamp", Always),
    ("depthBiasClamp", Always),
    ("fillModeNonSolid", Always),
    ("depthBounds", Never(NO_DEPTH_BOUNDS)),
    ("wideLines", Always),
    ("largePoints", Always),
    ("alphaToOne", NoCommand),
    ("multiViewport", Always),
    ("samplerAnisotropy", Always),
    ("textureCompressionETC2", NoCommand),
    ("textureCompressionASTC_LDR", NoCommand),
    ("textureCompressionBC", NoCommand),
    ("occlusionQueryPrecise", Always),
    ("pipelineStatisticsQuery", Always),
    ("vertexPipelineStoresAndAtomics", Always),
    ("fragmentStoresAndAtomics", Always),
    ("shaderTessellationAndGeometryPointSize", Always),
    ("shaderImageGatherExtended", Always),
    ("shaderStorageImageExtendedFormats", Always),
    ("shaderStorageImageMultisample", Never("typed messages have no samples (gen7 to gen9)")),
    ("shaderStorageImageReadWithoutFormat", Always),
    ("shaderStorageImageWriteWithoutFormat", Always),
    ("shaderUniformBufferArrayDynamicIndexing", Always),
    ("shaderSampledImageArrayDynamicIndexing", Always),
    ("shaderStorageBufferArrayDynamicIndexing", Always),
    ("shaderStorageImageArrayDynamicIndexing", Always),
    ("shaderClipDistance", Always),
    ("shaderCullDistance", Always),
    ("shaderFloat64", Always),
    ("shaderInt64", Always),
    ("shaderInt16", Always),
    ("shaderResourceResidency", NotYet),
    ("shaderResourceMinLod", Always),
    ("sparseBinding", NoCommand),
    ("sparseResidencyBuffer", NoCommand),
    ("sparseResidencyImage2D", NoCommand),
    ("sparseResidencyImage3D", NoCommand),
    ("sparseResidency2Samples", NoCommand),
    ("sparseResidency4Samples", NoCommand),
    ("sparseResidency8Samples", NoCommand),
    ("sparseResidency16Samples", NoCommand),
    ("sparseResidencyAliased", NoCommand),
    ("variableMultisampleRate", NoCommand),
    ("inheritedQueries", NoCommand),
    ("VariablePointerFeatures.variablePointers", Always),
    ("VariablePointerFeatures.variablePointersStorageBuffer", Always),
    ("Float16Int8Features.shaderFloat16", Always),
    ("Float16Int8Features.shaderInt8", Always),
    ("VulkanMemoryModelFeatures.vulkanMemoryModel", Always),
    ("VulkanMemoryModelFeatures.vulkanMemoryModelDeviceScope", Always),
    ("CooperativeMatrixFeaturesKHR.cooperativeMatrix", Never(MATRIX)),
    ("ZeroInitializeWorkgroupMemoryFeatures.shaderZeroInitializeWorkgroupMemory", Always),
    ("Storage8BitFeatures.storageBuffer8BitAccess", Always),
    ("Storage8BitFeatures.uniformAndStorageBuffer8BitAccess", Always),
    ("Storage8BitFeatures.storagePushConstant8", Always),
    ("Storage16BitFeatures.storageBuffer16BitAccess", Always),
    ("Storage16BitFeatures.uniformAndStorageBuffer16BitAccess", Always),
    ("Storage16BitFeatures.storagePushConstant16", Always),
    ("Storage16BitFeatures.storageInputOutput16", Always),
    ("SubgroupSizeControl.subgroupSizeControl", Always),
    ("SubgroupSizeControl.computeFullSubgroups", Always),
    ("DepthClampZeroOneFeatures.depthClampZeroOne", Always),
    ("SubgroupSupportedOperations.basic", Always),
    ("SubgroupSupportedOperations.vote", Always),
    ("SubgroupSupportedOperations.arithmetic", Always),
    ("SubgroupSupportedOperations.ballot", Always),
    ("SubgroupSupportedOperations.shuffle", Always),
    ("SubgroupSupportedOperations.shuffleRelative", Always),
    ("SubgroupSupportedOperations.clustered", Always),
    ("SubgroupSupportedOperations.quad", Always),
    ("SubgroupSupportedStages.vertex", From(Gen::Gen8, SIMD4X2)),
    ("SubgroupSupportedStages.tessellationControl", From(Gen::Gen8, SIMD4X2)),
    ("SubgroupSupportedStages.tessellationEvaluation", From(Gen::Gen8, SIMD4X2)),
    ("SubgroupSupportedStages.geometry", From(Gen::Gen8, SIMD4X2)),
    ("SubgroupSupportedStages.fragment", Always),
    ("SubgroupSupportedStages.compute", Always),
    ("RayTracingPipelineFeaturesKHR.rayTracingPipeline", Never(RAYS)),
    ("AccelerationStructureFeaturesKHR.accelerationStructure", Never(RAYS)),
    ("BufferDeviceAddressFeatures.bufferDeviceAddress", Always),
    ("ShaderLongVectorFeaturesEXT.longVector", NotYet),
];

const SIMD4X2: &str =
    "the stage runs with two vertices per thread (SIMD4x2), which is no subgroup of invocations";

/// Extensions that the hardware lacks.
const LACKING_EXTENSIONS: &[(&str, &str)] = &[
    ("VK_EXT_blend_operation_advanced", "the blend unit has only the basic operations"),
    ("VK_KHR_ray_tracing_pipeline", RAYS),
    ("VK_KHR_ray_query", RAYS),
    ("VK_KHR_acceleration_structure", RAYS),
    ("VK_KHR_cooperative_matrix", MATRIX),
];

/// Whether the format has a feature of that name.
pub fn is_feature(name: &str) -> bool {
    FEATURES.iter().any(|(own, _)| *own == name)
}

/// Whether a device has a feature; `None` for a name that is not in the table.
pub fn feature(name: &str, device: &Device) -> Option<Support> {
    let (_, when) = FEATURES.iter().find(|(own, _)| *own == name)?;
    Some(match when {
        Always | NoCommand => Support::Yes,
        From(first, _) if device.generation() >= *first => Support::Yes,
        From(_, reason) | Never(reason) => Support::Lacking(reason),
        NotYet => Support::Unsupported,
    })
}

/// Whether a device has an extension. Extensions that are not in the table concern the interface between an application
/// and a driver, or rules for shaders; the compiler refuses shaders that need more than it supports.
pub fn extension(name: &str) -> Support {
    match LACKING_EXTENSIONS.iter().find(|(own, _)| *own == name) {
        Some((_, reason)) => Support::Lacking(reason),
        None => Support::Yes,
    }
}

/// The rows of the table of reasons for skips in the documentation: the name, the generations and the reason.
pub fn skips() -> impl Iterator<Item = (&'static str, String, &'static str)> {
    let features = FEATURES.iter().filter_map(|(name, when)| match when {
        Never(reason) => Some((*name, "all".to_owned(), *reason)),
        From(first, reason) => Some((*name, format!("before {first}"), *reason)),
        Always | NoCommand | NotYet => None,
    });
    let extensions =
        LACKING_EXTENSIONS.iter().map(|(name, reason)| (*name, "all".to_owned(), *reason));
    let formats = (VERTEX_FORMATS, format!("before {}", Gen::Gen75), NO_VERTEX_FORMAT);
    features.chain(extensions).chain([formats])
}

/// The features for which the formats have no command.
pub fn without_command() -> impl Iterator<Item = &'static str> {
    FEATURES.iter().filter(|(_, when)| *when == NoCommand).map(|(name, _)| *name)
}

/// The features that Crestline does not support.
pub fn unsupported() -> impl Iterator<Item = &'static str> {
    FEATURES.iter().filter(|(_, when)| *when == NotYet).map(|(name, _)| *name)
}
