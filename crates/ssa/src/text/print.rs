//! Prints shaders, regions and instructions. Malformed code is printed too, since this is often needed to find an
//! error.

mod operand;

use std::fmt::{self, Write};

use super::words::{FLOAT_CONTROLS, SEMANTICS, Word, slot_word};
use crate::ir::{
    BaryPlace, BindingKind, DepthMode, DerivativeRule, Distances, InstData, InstId, InstKind,
    InterpPlace, IoSlot, MAX_DEPTH, RegionId, Shader, Src, StageInfo, SubgroupOp, SysVal, Targets,
    Ty, Value, VarTy,
};

impl fmt::Display for Shader {
    /// Writes the text form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(self, &mut *f);
        printer.header()?;
        printer.region(self.func.body(), Targets::default(), 1)?;
        writeln!(printer.out, "}}")
    }
}

impl fmt::Display for IoSlot {
    /// Writes the slot as in the text form: `position`, `location 3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, number) = slot_word(*self);
        f.write_str(word)?;
        number.map_or(Ok(()), |number| write!(f, " {number}"))
    }
}

impl fmt::Display for SysVal {
    /// Writes the name of the value as in the text form: `workgroup_id`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// An instruction in the text form, without the regions that it owns.
pub fn inst_to_string(shader: &Shader, inst: InstId) -> String {
    let mut text = String::new();
    let mut printer = Printer::new(shader, &mut text);
    let done = printer.inst(inst, Targets::default());
    debug_assert!(done.is_ok(), "writing to a string succeeds");
    text
}

/// A value's name and type, as at its definition.
fn definition(shader: &Shader, value: Value) -> String {
    match shader.func.has_value(value) {
        true => format!("{value}: {}", shader.func.ty(value)),
        false => format!("{value}: ?"),
    }
}

struct Printer<'a, W> {
    shader: &'a Shader,
    out: W,
    /// The regions printed so far. In malformed code a region may have two owners or contain itself.
    seen: Vec<bool>,
}

impl<'a, W: Write> Printer<'a, W> {
    fn new(shader: &'a Shader, out: W) -> Self {
        Printer { shader, out, seen: vec![false; shader.func.num_regions()] }
    }

    /// Prints everything before the code.
    fn header(&mut self) -> fmt::Result {
        let Shader { name, stage, bindings, vars, .. } = self.shader;
        writeln!(self.out, "{} {} {{", stage.stage().word(), quoted(name))?;
        self.stage(stage)?;
        let sizes = [
            ("shared_bytes", self.shader.shared_bytes()),
            ("push_constant_bytes", self.shader.push_constant_bytes),
            ("scratch_bytes", self.shader.scratch_bytes),
        ];
        for (word, bytes) in sizes.into_iter().filter(|size| size.1 != 0) {
            writeln!(self.out, "    {word} {bytes}")?;
        }
        let mut controls = self.shader.float_controls;
        for (word, field) in FLOAT_CONTROLS {
            let mask = *field(&mut controls);
            if mask != 0 {
                writeln!(self.out, "    {word} {mask}")?;
            }
        }
        for line in self.shader.const_data.chunks(32) {
            write!(self.out, "    const_data 0x")?;
            line.iter().try_for_each(|byte| write!(self.out, "{byte:02x}"))?;
            writeln!(self.out)?;
        }
        for (i, binding) in bindings.iter().enumerate() {
            let (set, number, name) = (binding.set, binding.binding, quoted(&binding.name));
            write!(self.out, "    binding b{i}: ")?;
            self.binding_kind(binding.kind)?;
            write!(self.out, " set {set} binding {number} {name}")?;
            if let Some(count) = binding.count {
                write!(self.out, " count {count}")?;
            }
            write!(self.out, "{}", if binding.readonly { " readonly" } else { "" })?;
            writeln!(self.out, "{}", if binding.non_uniform { " nonuniform" } else { "" })?;
        }
        let slots = [("input", &self.shader.inputs), ("output", &self.shader.outputs)];
        for (word, var) in
            slots.into_iter().flat_map(|(word, vars)| vars.iter().map(move |v| (word, v)))
        {
            write!(self.out, "    {word} ")?;
            self.slot(var.slot)?;
            if var.comp != 0 {
                write!(self.out, " comp {}", var.comp)?;
            }
            write!(self.out, ": {}", var.ty)?;
            if var.count != 1 {
                write!(self.out, "[{}]", var.count)?;
            }
            write!(self.out, " {}", quoted(&var.name))?;
            if var.stream != 0 {
                write!(self.out, " stream {}", var.stream)?;
            }
            if let Some(interp) = var.interp {
                write!(self.out, " {}", interp.mode.word())?;
                if interp.place != InterpPlace::Centre {
                    write!(self.out, " {}", interp.place.word())?;
                }
            }
            writeln!(self.out)?;
        }
        let Distances { clip, cull } = self.shader.distances;
        if (clip, cull) != (0, 0) {
            writeln!(self.out, "    distances clip {clip:#x} cull {cull:#x}")?;
        }
        for (number, buffer) in &self.shader.feedback.buffers {
            write!(self.out, "    feedback {number} stride {}", buffer.stride)?;
            if buffer.stream != 0 {
                write!(self.out, " stream {}", buffer.stream)?;
            }
            writeln!(self.out)?;
        }
        for capture in &self.shader.feedback.captures {
            write!(self.out, "    capture {} offset {}: ", capture.buffer, capture.offset)?;
            self.slot(capture.slot)?;
            writeln!(self.out, " comp {} comps {}", capture.comp, capture.comps)?;
        }
        for (i, var) in vars.iter().enumerate() {
            write!(self.out, "    var v{i}: {} {}", VarTyText(&var.ty), quoted(&var.name))?;
            if let Some(init) = &var.init {
                write!(self.out, " init")?;
                for (i, bits) in init.iter().enumerate() {
                    write!(self.out, "{} {}", if i == 0 { "" } else { "," }, Number(*bits))?;
                }
            }
            writeln!(self.out)?;
        }
        writeln!(self.out)
    }

    /// The properties of the stage, one per line.
    fn stage(&mut self, stage: &StageInfo) -> fmt::Result {
        match stage {
            StageInfo::Vertex => Ok(()),
            StageInfo::Fragment(info) => {
                for (word, _) in [
                    ("early_tests", info.early_tests),
                    ("post_depth_coverage", info.post_depth_coverage),
                ]
                .into_iter()
                .filter(|flag| flag.1)
                {
                    writeln!(self.out, "    {word}")?;
                }
                if info.depth != DepthMode::Any {
                    writeln!(self.out, "    depth {}", info.depth.word())?;
                }
                for (word, _) in [("per_sample", info.per_sample), ("full_quads", info.full_quads)]
                    .into_iter()
                    .filter(|flag| flag.1)
                {
                    writeln!(self.out, "    {word}")?;
                }
                let Some(interlock) = info.interlock else { return Ok(()) };
                let place = if interlock.per_sample { "sample" } else { "pixel" };
                let order = if interlock.ordered { " ordered" } else { "" };
                writeln!(self.out, "    critical_sections {place}{order}")
            }
            StageInfo::TessControl(info) => {
                writeln!(self.out, "    output_vertices {}", info.output_vertices)
            }
            StageInfo::TessEval(info) => {
                writeln!(self.out, "    domain {}", info.domain.word())?;
                writeln!(self.out, "    spacing {}", info.spacing.word())?;
                for (word, _) in [("ccw", info.ccw), ("point_mode", info.point_mode)]
                    .into_iter()
                    .filter(|flag| flag.1)
                {
                    writeln!(self.out, "    {word}")?;
                }
                Ok(())
            }
            StageInfo::Geometry(info) => {
                writeln!(self.out, "    input_primitive {}", info.input.word())?;
                writeln!(self.out, "    output_primitive {}", info.output.word())?;
                writeln!(self.out, "    max_vertices {}", info.max_vertices)?;
                writeln!(self.out, "    invocations {}", info.invocations)
            }
            StageInfo::Compute(info) => {
                let [x, y, z] = info.local_size;
                writeln!(self.out, "    local_size {x}, {y}, {z}")?;
                let required =
                    [("subgroup_size", info.subgroup_size), ("subgroups", info.subgroups)];
                for (word, number) in required {
                    if let Some(number) = number {
                        writeln!(self.out, "    {word} {number}")?;
                    }
                }
                if info.quads {
                    writeln!(self.out, "    quads")?;
                }
                Ok(())
            }
        }
    }

    fn slot(&mut self, slot: IoSlot) -> fmt::Result {
        write!(self.out, "{slot}")
    }

    /// The vertex, index and component of an access to a slot.
    fn place_in_slot(&mut self, vertex: Option<Src>, index: Option<Src>, comp: u8) -> fmt::Result {
        for (word, src) in [("vertex", vertex), ("index", index)] {
            if let Some(src) = src {
                write!(self.out, ", {word} ")?;
                self.src(src, Some(1))?;
            }
        }
        match comp {
            0 => Ok(()),
            comp => write!(self.out, ", comp {comp}"),
        }
    }

    /// The kind of a binding, with the type of an image or texture.
    fn binding_kind(&mut self, kind: BindingKind) -> fmt::Result {
        match kind {
            BindingKind::UniformBuffer => write!(self.out, "ubo"),
            BindingKind::StorageBuffer => write!(self.out, "ssbo"),
            BindingKind::AtomicCounters => write!(self.out, "counters"),
            BindingKind::Image(ty) => {
                let array = if ty.arrayed { " array" } else { "" };
                write!(self.out, "image {}{array} ", ty.dim.word())?;
                match ty.format {
                    Some(format) => write!(self.out, "{format}"),
                    None => write!(self.out, "any"),
                }
            }
            BindingKind::Texture(ty) => {
                let array = if ty.arrayed { " array" } else { "" };
                let samples = if ty.multisampled { " multisampled" } else { "" };
                write!(self.out, "texture {}{array}{samples}", ty.dim.word())
            }
            BindingKind::Sampler => write!(self.out, "sampler"),
        }
    }

    /// The instructions of a region, one per line, with definitions aligned in a column.
    fn region(&mut self, region: RegionId, targets: Targets, depth: usize) -> fmt::Result {
        let indent = depth * 4;
        let known = region.index() < self.seen.len();
        if !known || depth > MAX_DEPTH || std::mem::replace(&mut self.seen[region.index()], true) {
            return writeln!(self.out, "{:indent$}// region {region} is not printable here", "");
        }
        let shader = self.shader;
        let insts = &shader.func.region(region).insts;
        let aligned =
            |inst: &InstData| !inst.kind.is_terminator() && inst.kind.regions().len() == 0;
        let column = (insts.iter().filter(|&&i| shader.func.has_inst(i)))
            .map(|&i| shader.func.inst(i))
            .filter(|inst| aligned(inst) && inst.results.len() == 1)
            .map(|inst| definition(shader, inst.results[0]).len())
            .max();
        for &id in insts {
            if !shader.func.has_inst(id) {
                writeln!(self.out, "{:indent$}// no instruction {id}", "")?;
                continue;
            }
            write!(self.out, "{:indent$}", "")?;
            let inst = shader.func.inst(id);
            match (column, &inst.results[..]) {
                (Some(width), &[value]) if aligned(inst) => {
                    write!(self.out, "{:width$} = ", definition(shader, value))?;
                    self.operation(inst, targets)?;
                }
                (Some(width), []) if aligned(inst) => {
                    write!(self.out, "{:width$}   ", "")?;
                    self.operation(inst, targets)?;
                }
                _ => self.inst(id, targets)?,
            }
            self.owned_regions(id, inst, targets, depth)?;
            writeln!(self.out)?;
        }
        Ok(())
    }

    /// An instruction, including its definitions.
    fn inst(&mut self, id: InstId, targets: Targets) -> fmt::Result {
        let inst = self.shader.func.inst(id);
        for (i, &value) in inst.results.iter().enumerate() {
            let end = if i + 1 == inst.results.len() { " = " } else { ", " };
            write!(self.out, "{}{end}", definition(self.shader, value))?;
        }
        self.operation(inst, targets)
    }

    /// The regions that an instruction owns, with the text between them.
    fn owned_regions(
        &mut self,
        id: InstId,
        inst: &InstData,
        targets: Targets,
        depth: usize,
    ) -> fmt::Result {
        let indent = depth * 4;
        for (i, region) in inst.kind.regions().enumerate() {
            if i == 1 {
                match inst.kind {
                    InstKind::If { .. } => write!(self.out, " else {{")?,
                    _ => {
                        write!(self.out, " continuing ")?;
                        let params = self.params(region);
                        if !params.is_empty() {
                            write!(self.out, "(")?;
                            for (i, &param) in params.iter().enumerate() {
                                let comma = if i == 0 { "" } else { ", " };
                                write!(self.out, "{comma}{}", definition(self.shader, param))?;
                            }
                            write!(self.out, ") ")?;
                        }
                        write!(self.out, "{{")?;
                    }
                }
            }
            writeln!(self.out)?;
            self.region(region, targets.inside(id, &inst.kind, i), depth + 1)?;
            write!(self.out, "{:indent$}}}", "")?;
        }
        Ok(())
    }

    /// The parameters of a region; none if the region does not exist.
    fn params(&self, region: RegionId) -> &'a [Value] {
        match region.index() < self.seen.len() {
            true => &self.shader.func.region(region).params,
            false => &[],
        }
    }

    /// An operation with its operands. For an instruction that owns regions, the text up to the first `{`.
    fn operation(&mut self, inst: &InstData, targets: Targets) -> fmt::Result {
        let func = &self.shader.func;
        let result = inst.results.first().filter(|&&v| func.has_value(v)).map(|&v| func.ty(v));
        match &inst.kind {
            InstKind::Const(bits) => self.constant(bits, result),
            InstKind::Undef => write!(self.out, "undef"),
            InstKind::Alu { op, srcs, exact } => {
                write!(self.out, "{}{}", op.name(), if *exact { ".exact" } else { "" })?;
                let comps = result.map_or(1, Ty::comps);
                for (i, &src) in srcs.iter().enumerate() {
                    let known = i < op.row().srcs.len();
                    self.item(i, src, known.then(|| op.src_comps(i, comps)))?;
                }
                Ok(())
            }
            InstKind::SysVal(sysval) => write!(self.out, "sysval {}", sysval.word()),
            InstKind::LoadVar { var, path } => {
                write!(self.out, "load_var v{}", var.0)?;
                self.path(path)
            }
            InstKind::StoreVar { var, path, data, mask } => {
                write!(self.out, "store_var v{}", var.0)?;
                self.path(path)?;
                let leaf = self.shader.vars.get(var.index()).and_then(|v| v.ty.leaf(path));
                self.item(1, *data, leaf.map(Ty::comps))?;
                self.mask(*mask, leaf.map_or(4, Ty::comps))
            }
            InstKind::LoadInput { slot, vertex, index, comp } => {
                write!(self.out, "load_input ")?;
                self.slot(*slot)?;
                self.place_in_slot(*vertex, *index, *comp)
            }
            InstKind::LoadOutput { slot, vertex, index, comp } => {
                write!(self.out, "load_output ")?;
                self.slot(*slot)?;
                self.place_in_slot(*vertex, *index, *comp)
            }
            InstKind::StoreOutput { slot, data, vertex, index, comp, mask } => {
                write!(self.out, "store_output ")?;
                self.slot(*slot)?;
                self.item(1, *data, Some(mask.width().clamp(1, 4)))?;
                self.place_in_slot(*vertex, *index, *comp)?;
                self.mask(*mask, mask.width())
            }
            InstKind::EmitVertex { stream } => write!(self.out, "emit_vertex {stream}"),
            InstKind::EndPrimitive { stream } => write!(self.out, "end_primitive {stream}"),
            InstKind::Load { memory, offset, align, access } => {
                write!(self.out, "load ")?;
                self.memory(memory)?;
                self.item(1, *offset, Some(1))?;
                self.align(*align)?;
                self.access(*access)
            }
            InstKind::Store { memory, offset, data, comps, mask, align, access } => {
                write!(self.out, "store ")?;
                self.memory(memory)?;
                self.item(1, *offset, Some(1))?;
                self.item(1, *data, Some(usize::from(*comps)))?;
                self.mask(*mask, usize::from(*comps))?;
                self.align(*align)?;
                self.access(*access)
            }
            InstKind::Atomic { memory, op, offset, data, compare, access } => {
                write!(self.out, "atomic {} ", op.word())?;
                self.memory(memory)?;
                self.item(1, *offset, Some(1))?;
                self.item(1, *data, Some(1))?;
                if let Some(compare) = compare {
                    self.item(1, *compare, Some(1))?;
                }
                self.access(*access)
            }
            InstKind::BufferSize(resource) => {
                write!(self.out, "buffer_size ")?;
                self.resource(resource)
            }
            InstKind::ImageLoad { image, coord, dims, form, access } => {
                write!(self.out, "image_load ")?;
                self.texel(image, *coord, *dims)?;
                self.form(*form)?;
                self.access(*access)
            }
            InstKind::ImageStore { image, coord, dims, data, form, access } => {
                write!(self.out, "image_store ")?;
                self.texel(image, *coord, *dims)?;
                self.item(1, *data, Some(form.comps()))?;
                self.form(*form)?;
                self.access(*access)
            }
            InstKind::ImageAtomic { image, op, coord, dims, data, compare, form, access } => {
                write!(self.out, "image_atomic {} ", op.word())?;
                self.texel(image, *coord, *dims)?;
                self.item(1, *data, Some(1))?;
                if let Some(compare) = compare {
                    self.item(1, *compare, Some(1))?;
                }
                self.form(*form)?;
                self.access(*access)
            }
            InstKind::ImageSize(resource) => {
                write!(self.out, "image_size ")?;
                self.resource(resource)
            }
            InstKind::ImageParam { image, param, comp } => {
                write!(self.out, "image_param ")?;
                self.resource(image)?;
                write!(self.out, ", {} {comp}", param.word())
            }
            InstKind::Texture(read) => self.texture(read),
            InstKind::Derivative { axis, rule, src } => {
                write!(self.out, "derivative {}", axis.word())?;
                if *rule != DerivativeRule::Any {
                    write!(self.out, " {}", rule.word())?;
                }
                self.item(1, *src, Some(result.map_or(1, Ty::comps)))
            }
            InstKind::Demote => write!(self.out, "demote"),
            InstKind::IsHelper => write!(self.out, "is_helper"),
            InstKind::Clock => write!(self.out, "clock"),
            InstKind::Interlock { begins } => {
                write!(self.out, "interlock {}", if *begins { "begin" } else { "end" })
            }
            InstKind::Barycentric { mode, at } => {
                write!(self.out, "barycentric {}", mode.word())?;
                match at {
                    BaryPlace::Place(InterpPlace::Centre) => Ok(()),
                    BaryPlace::Place(place) => write!(self.out, " {}", place.word()),
                    BaryPlace::AtSample(src) => {
                        write!(self.out, ", sample")?;
                        self.item(0, *src, Some(1))
                    }
                    BaryPlace::AtOffset(src) => {
                        write!(self.out, ", offset")?;
                        self.item(0, *src, Some(2))
                    }
                }
            }
            InstKind::Interpolate { slot, weights, index, comp } => {
                write!(self.out, "interpolate ")?;
                self.slot(*slot)?;
                self.item(1, *weights, Some(2))?;
                self.place_in_slot(None, *index, *comp)
            }
            InstKind::AllKilled(src) => {
                write!(self.out, "all_killed")?;
                self.item(0, *src, Some(1))
            }
            InstKind::Subgroup { op, src } => {
                match op {
                    SubgroupOp::Ballot => write!(self.out, "ballot")?,
                    SubgroupOp::ReadFirst => write!(self.out, "read_first")?,
                    SubgroupOp::Reduce { op, cluster: 0 } => {
                        write!(self.out, "reduce {}", op.name())?;
                    }
                    SubgroupOp::Reduce { op, cluster } => {
                        write!(self.out, "reduce {} cluster {cluster}", op.name())?;
                    }
                    SubgroupOp::Scan { op, inclusive } => {
                        let kind = if *inclusive { "inclusive" } else { "exclusive" };
                        write!(self.out, "scan {kind} {}", op.name())?;
                    }
                }
                let plain = matches!(op, SubgroupOp::Ballot | SubgroupOp::ReadFirst);
                self.item(usize::from(!plain), *src, Some(1))
            }
            InstKind::Shuffle { src, lane, quad } => {
                write!(self.out, "shuffle{}", if *quad { " quad" } else { "" })?;
                self.item(usize::from(*quad), *src, Some(1))?;
                self.item(1, *lane, Some(1))
            }
            InstKind::Barrier { execution, memory, semantics } => {
                write!(self.out, "barrier ")?;
                if let Some(execution) = execution {
                    write!(self.out, "execution {}, ", execution.word())?;
                }
                write!(self.out, "memory {}", memory.word())?;
                self.flags(SEMANTICS, *semantics)
            }
            InstKind::If { cond, .. } => {
                write!(self.out, "if")?;
                self.item(0, *cond, Some(1))?;
                write!(self.out, " {{")
            }
            InstKind::Loop { init, body, .. } => {
                write!(self.out, "loop ")?;
                let params = self.params(*body);
                for i in 0..params.len().max(init.len()) {
                    write!(self.out, "{}", if i == 0 { "(" } else { ", " })?;
                    let param = params.get(i).copied();
                    match param {
                        Some(param) => write!(self.out, "{}", definition(self.shader, param))?,
                        None => write!(self.out, "?")?,
                    }
                    write!(self.out, " =")?;
                    match init.get(i) {
                        Some(&src) => self.item(0, src, param.map(|p| self.comps(p)))?,
                        None => write!(self.out, " ?")?,
                    }
                }
                let end = if params.is_empty() && init.is_empty() { "{" } else { ") {" };
                write!(self.out, "{end}")
            }
            InstKind::Yield(srcs) => self.terminator("yield", srcs, &inst.kind, targets),
            InstKind::Break(srcs) => self.terminator("break", srcs, &inst.kind, targets),
            InstKind::Continue(srcs) => self.terminator("continue", srcs, &inst.kind, targets),
            InstKind::Return => write!(self.out, "return"),
        }
    }

    /// A terminator with its sources.
    fn terminator(
        &mut self,
        word: &str,
        srcs: &[Src],
        kind: &InstKind,
        targets: Targets,
    ) -> fmt::Result {
        write!(self.out, "{word}")?;
        let values = targets.values(&self.shader.func, kind).unwrap_or_default();
        for (i, &src) in srcs.iter().enumerate() {
            self.item(i, src, values.get(i).map(|&v| self.comps(v)))?;
        }
        Ok(())
    }

    /// A constant. Bits that are plausible floats are followed by the floats as a comment.
    fn constant(&mut self, bits: &[u64; 4], ty: Option<Ty>) -> fmt::Result {
        let comps = &bits[..ty.map_or(4, Ty::comps)];
        write!(self.out, "const")?;
        for (i, &bits) in comps.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            match ty {
                Some(ty) if ty.is_bool() && bits <= 1 => {
                    write!(self.out, "{comma} {}", bits == 1)?;
                }
                _ => write!(self.out, "{comma} {}", Number(bits))?,
            }
        }
        let as_floats: Option<Vec<f64>> = match ty.map(Ty::bits) {
            Some(32) => Some(comps.iter().map(|&b| f64::from(f32::from_bits(b as u32))).collect()),
            Some(64) => Some(comps.iter().map(|&b| f64::from_bits(b)).collect()),
            _ => None,
        };
        let plain = |x: f64| x == 0.0 || (1e-6..1e9).contains(&x.abs());
        if let Some(floats) = as_floats
            && floats.iter().all(|&x| plain(x))
            && floats.iter().any(|&x| x != 0.0)
        {
            write!(self.out, " //")?;
            for (i, x) in floats.iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                match ty.map(Ty::bits) {
                    Some(32) => write!(self.out, "{comma} {:?}", *x as f32)?,
                    _ => write!(self.out, "{comma} {x:?}")?,
                }
            }
        }
        Ok(())
    }

    /// Number of components of a value; 1 if the value does not exist.
    fn comps(&self, value: Value) -> usize {
        let func = &self.shader.func;
        if func.has_value(value) { func.ty(value).comps() } else { 1 }
    }
}

/// A number: decimal if it is small, else hexadecimal.
struct Number(u64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0x1_0000 { write!(f, "{}", self.0) } else { write!(f, "{:#x}", self.0) }
    }
}

/// The type of a variable: `32x4[3]` is an array of three vectors, `{32, 16x2}` a structure.
struct VarTyText<'a>(&'a VarTy);

impl fmt::Display for VarTyText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            VarTy::Vector(ty) => write!(f, "{ty}"),
            VarTy::Array(element, count) => write!(f, "{}[{count}]", VarTyText(element)),
            VarTy::Struct(members) => {
                write!(f, "{{")?;
                for (i, member) in members.iter().enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { ", " }, VarTyText(member))?;
                }
                write!(f, "}}")
            }
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.escape_default())
}
