//! Endpoints of colours.

/// The two endpoints for a mode and its values, 0 to 255 per channel; `None` for modes of high dynamic range.
pub(super) fn endpoints(mode: u32, v: [i32; 8]) -> Option<[[u32; 4]; 2]> {
    let grey = |light: i32, alpha: i32| [light, light, light, alpha];
    let scaled = |alpha: i32| {
        let part = |value: i32| (value * v[3]) >> 8;
        [part(v[0]), part(v[1]), part(v[2]), alpha]
    };
    let ends = match mode {
        0 => [grey(v[0], 255), grey(v[1], 255)],
        1 => {
            let light = v[0] >> 2 | v[1] & 0xc0;
            [grey(light, 255), grey(light + (v[1] & 0x3f), 255)]
        }
        4 => [grey(v[0], v[2]), grey(v[1], v[3])],
        5 => {
            let [(light, more), (alpha, more_alpha)] = [offset(v[0], v[1]), offset(v[2], v[3])];
            [grey(light, alpha), grey(light + more, alpha + more_alpha)]
        }
        6 => [scaled(255), [v[0], v[1], v[2], 255]],
        8 => ordered([v[0], v[2], v[4], 255], [v[1], v[3], v[5], 255]),
        9 => relative([(v[0], v[1]), (v[2], v[3]), (v[4], v[5])], (255, 0)),
        10 => [scaled(v[4]), [v[0], v[1], v[2], v[5]]],
        12 => ordered([v[0], v[2], v[4], v[6]], [v[1], v[3], v[5], v[7]]),
        13 => relative([(v[0], v[1]), (v[2], v[3]), (v[4], v[5])], offset(v[6], v[7])),
        _ => return None,
    };
    Some(ends.map(|end| end.map(|value| value.clamp(0, 255).cast_unsigned())))
}

/// A base and a signed difference of six bits: the base's highest bit is stored as that of the difference.
fn offset(base: i32, difference: i32) -> (i32, i32) {
    let wide = difference >> 1 & 0x3f;
    (base >> 1 | difference & 0x80, if wide & 0x20 != 0 { wide - 0x40 } else { wide })
}

/// Red and green halfway to blue.
fn contracted([red, green, blue, alpha]: [i32; 4]) -> [i32; 4] {
    [(red + blue) >> 1, (green + blue) >> 1, blue, alpha]
}

fn light(end: [i32; 4]) -> i32 {
    end[..3].iter().sum()
}

/// Two endpoints. If the first is the lighter one, they are exchanged and contracted.
fn ordered(first: [i32; 4], second: [i32; 4]) -> [[i32; 4]; 2] {
    match light(second) >= light(first) {
        true => [first, second],
        false => [contracted(second), contracted(first)],
    }
}

/// An endpoint and the difference of the other. If the other is darker, they are exchanged and contracted.
fn relative(pairs: [(i32, i32); 3], alpha: (i32, i32)) -> [[i32; 4]; 2] {
    let [red, green, blue] = pairs.map(|(base, difference)| offset(base, difference));
    let channels = [red, green, blue, alpha];
    let first = channels.map(|(base, _)| base);
    let second = channels.map(|(base, difference)| base + difference);
    match channels[..3].iter().map(|channel| channel.1).sum::<i32>() >= 0 {
        true => [first, second],
        false => [contracted(second), contracted(first)],
    }
}
