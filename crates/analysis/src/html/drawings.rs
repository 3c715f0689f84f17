//! The drawings of the page: bars, the pressure curve, the graph of blocks.

use std::fmt::Write;

use super::{escaped, put};
use crate::metrics::number;
use crate::report::{Analysis, BlockReport};

/// Bars for the load of the units.
pub(super) fn units(out: &mut String, analysis: &Analysis) {
    out.push_str("<h3>Units of a full EU</h3>\n");
    for unit in &analysis.units {
        put!(
            out,
            "<div class=\"bar\"><span>{}</span><div><i style=\"width:{}%\"></i></div><span>{} % · {} cycles</span></div>\n",
            escaped(&unit.unit),
            unit.percent.clamp(0.0, 100.0),
            number(unit.percent),
            unit.busy
        );
    }
}

/// The registers in use at each instruction.
pub(super) fn pressure(out: &mut String, analysis: &Analysis) {
    const HEIGHT: f64 = 150.0;
    const WIDTH: f64 = 640.0;
    let (count, limit) = (analysis.instructions.len(), f64::from(analysis.registers.available));
    if count == 0 || analysis.registers.peak.is_none() {
        return;
    }
    let most = analysis.instructions.iter().map(|inst| inst.pressure).max().unwrap_or(0);
    // The limit is drawn if the curve comes near it.
    let top = if f64::from(most) * 2.0 > limit { limit } else { f64::from(most.max(8)) };
    let y = |registers: f64| HEIGHT - (HEIGHT - 20.0) * registers / top;
    let mut curve = String::new();
    for (n, inst) in analysis.instructions.iter().enumerate() {
        let (from, to) = (n as f64 * WIDTH / count as f64, (n + 1) as f64 * WIDTH / count as f64);
        let command = if n == 0 { 'M' } else { 'L' };
        put!(curve, "{command}{from:.1} {:.1}H{to:.1}", y(inst.pressure.into()));
    }
    put!(
        out,
        "<h3>Registers in use, by instruction</h3>\n\
         <svg class=\"curve\" viewBox=\"0 0 {WIDTH} {}\" data-count=\"{count}\" role=\"img\" aria-label=\"registers in use\">\n\
         <path class=\"area\" d=\"{curve}V{HEIGHT}H0Z\"/><path d=\"{curve}\"/>\n",
        HEIGHT + 20.0
    );
    if top == limit {
        let at = y(limit);
        put!(out, "<line x1=\"0\" x2=\"{WIDTH}\" y1=\"{at}\" y2=\"{at}\"/>\n");
    }
    put!(
        out,
        "<line class=\"at\" y1=\"0\" y2=\"{HEIGHT}\" visibility=\"hidden\"/>\n\
         <text class=\"faint\" x=\"0\" y=\"12\">{}</text><text class=\"label\" x=\"0\" y=\"{}\">at most {most} registers</text>\n</svg>\n",
        number(top),
        HEIGHT + 15.0
    );
}

/// The most blocks that are drawn.
const MAX_BLOCKS: usize = 400;

/// The blocks in the order of the code; arcs at the right lead forward, arcs at the left back.
pub(super) fn graph(out: &mut String, analysis: &Analysis) {
    let (left, width, step, height) = (90i64, 360i64, 40i64, 28i64);
    let blocks: Vec<&BlockReport> = analysis.blocks.iter().take(MAX_BLOCKS).collect();
    let place = |block: u32| blocks.iter().position(|each| each.block == block);
    let whole = blocks.len() as i64 * step + 10;
    put!(
        out,
        "<h3>Blocks</h3>\n<svg class=\"graph\" viewBox=\"0 0 640 {whole}\" width=\"640\" role=\"img\" aria-label=\"graph of blocks\">\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8Z\"/></marker></defs>\n"
    );
    let y = |n: usize| n as i64 * step + 5;
    for (n, block) in blocks.iter().enumerate() {
        for to in block.successors.iter().filter_map(|&next| place(next)) {
            let distance = n.abs_diff(to) as i64;
            let reach = (distance * 9 + 12).min(80);
            let path = if to == n + 1 {
                let x = left + width / 2;
                format!("M{x} {}V{}", y(n) + height, y(to) - 1)
            } else if to > n {
                let x = left + width;
                let (from, end) = (y(n) + height - 7, y(to) + 9);
                format!("M{x} {from}C{0} {from} {0} {end} {1} {end}", x + reach, x + 1)
            } else {
                let (from, end) = (y(n) + height - 7, y(to) + 9);
                format!("M{left} {from}C{0} {from} {0} {end} {1} {end}", left - reach, left - 1)
            };
            put!(out, "<path d=\"{path}\" marker-end=\"url(#arrow)\"/>\n");
        }
    }
    for (n, block) in blocks.iter().enumerate() {
        let (top, share) = (y(n), block.cost.percent.clamp(0.0, 100.0));
        let lines = match (block.lines.first(), block.lines.last()) {
            (Some(first), Some(last)) if first.line != last.line => {
                format!("lines {} to {}", first.line, last.line)
            }
            (Some(only), _) => format!("line {}", only.line),
            _ => format!("{:#x}", block.offset),
        };
        put!(
            out,
            "<g data-block=\"{}\"><rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>\
             <rect class=\"heat\" x=\"{left}\" y=\"{top}\" width=\"{:.1}\" height=\"{height}\" rx=\"4\" opacity=\"0.35\"/>\
             <text x=\"{}\" y=\"{}\">{}: {} cycles × {} = {} %</text><text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{lines}</text></g>\n",
            block.block,
            share / 100.0 * width as f64,
            left + 8,
            top + 18,
            block.block,
            block.cycles_once,
            block.runs,
            number(block.cost.percent),
            left + width - 8,
            top + 18,
        );
    }
    out.push_str("</svg>\n");
    if analysis.blocks.len() > MAX_BLOCKS {
        put!(out, "<p>and {} more</p>\n", analysis.blocks.len() - MAX_BLOCKS);
    }
}
