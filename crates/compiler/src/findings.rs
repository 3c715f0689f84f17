//! What an analysis reports about an optimised shader.

use crestline_analysis::{
    BranchKind, DivergentBranch, LineVariable, ObstacleKind, ShaderReport, SourceLine, UnmergedLoad,
};
use crestline_frontend::{AssignedVariable, assigned_variables};
use crestline_ssa::explain::{self, Explainer, Obstacle};
use crestline_ssa::ir::{InstId, InstKind, Shader};

/// The variables that the lines of a SPIR-V module assign, for an analysis of its code. None if the module is broken.
pub fn line_variables(words: &[u32]) -> Vec<LineVariable> {
    let found = assigned_variables(words).unwrap_or_default();
    let line = |AssignedVariable { file, line, name }| LineVariable { file, line, name };
    found.into_iter().map(line).collect()
}

/// The divergent branches of an optimised shader, and the loads that were not merged. An observer calls this in
/// [`Observer::optimized`](crate::Observer::optimized).
pub fn shader_report(shader: &Shader) -> ShaderReport {
    let explainer = Explainer::new(shader);
    let (branches, loads) = (explainer.divergent_branches(), explainer.unmerged_loads());
    ShaderReport {
        divergent_branches: branches.iter().map(|branch| divergent(shader, branch)).collect(),
        unmerged_loads: loads.iter().map(|load| unmerged(shader, load)).collect(),
    }
}

/// The first line of an instruction.
fn line(shader: &Shader, inst: InstId) -> Option<SourceLine> {
    let debug = &shader.func.debug;
    let place = debug.places(shader.func.loc_of(inst)).first()?;
    let file = debug.files().get(place.file.index())?.as_str().into();
    Some(SourceLine { file, line: place.line })
}

fn divergent(shader: &Shader, branch: &explain::DivergentBranch) -> DivergentBranch {
    let is_loop = matches!(shader.func.inst(branch.inst).kind, InstKind::Loop { .. });
    let mut through: Vec<SourceLine> =
        branch.through.iter().filter_map(|&inst| line(shader, inst)).collect();
    through.dedup();
    DivergentBranch {
        kind: if is_loop { BranchKind::Loop } else { BranchKind::If },
        source: line(shader, branch.inst),
        exit: branch.exit.and_then(|inst| line(shader, inst)),
        origin: explain::origin_name(shader, branch.origin),
        origin_source: line(shader, branch.origin),
        through,
    }
}

fn unmerged(shader: &Shader, load: &explain::UnmergedLoad) -> UnmergedLoad {
    let (obstacle, inst) = match load.obstacle {
        Obstacle::Write(inst) => (ObstacleKind::Write, Some(inst)),
        Obstacle::Order(inst) => (ObstacleKind::Order, Some(inst)),
        Obstacle::Branch(inst) => (ObstacleKind::Branch, Some(inst)),
        Obstacle::Volatile => (ObstacleKind::Volatile, None),
        Obstacle::Coherent => (ObstacleKind::Coherent, None),
        Obstacle::Distance => (ObstacleKind::Distance, None),
        Obstacle::Access => (ObstacleKind::Access, None),
    };
    let written = inst.and_then(|inst| match &shader.func.inst(inst).kind {
        InstKind::Store { memory, .. } | InstKind::Atomic { memory, .. } => {
            Some(explain::memory_name(shader, memory))
        }
        _ => None,
    });
    UnmergedLoad {
        memory: explain::memory_name(shader, &load.memory),
        source: line(shader, load.inst),
        first: line(shader, load.first),
        again: load.again,
        obstacle,
        between: inst.and_then(|inst| line(shader, inst)),
        written,
    }
}
