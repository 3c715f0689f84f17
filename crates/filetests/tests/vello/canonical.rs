//! Converts the renderer's buffers to a form that does not depend on the order in which invocations execute atomics.
//! Three stages allocate space by atomics; all other data are at fixed positions.

/// The canonical form of all buffers that `stage` touched.
pub(crate) fn of(stage: &str, names: &[&str], buffers: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut out = buffers.to_vec();
    let stage = stage.rsplit(':').next().unwrap_or(stage);
    for (name, buffer) in names.iter().zip(&mut out) {
        match (stage, *name) {
            ("path_count", "seg_counts") => *buffer = segment_counts(&words(buffer)),
            ("coarse", "tiles") => *buffer = allocated_tiles(&words(buffer)),
            ("coarse", "ptcl") => *buffer = commands(&words(buffer)),
            _ => {}
        }
    }
    out
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The canonical form of records that contain a line, the index of a segment in it (low half), and the segment's position
/// in its tile (high half, chosen by an atomic). An atomic also chooses the order of the records, so lines and indices
/// are sorted. The positions in each tile are 0, 1, 2, ..., so they are fixed too if they are sorted on their own.
fn segment_counts(words: &[u32]) -> Vec<u8> {
    let records = words.as_chunks::<2>().0;
    let mut segments: Vec<_> = records.iter().map(|&[line, n]| (line, n & 0xffff)).collect();
    segments.sort_unstable();
    let mut places: Vec<_> = records.iter().map(|&[_, n]| n >> 16).collect();
    places.sort_unstable();
    bytes(segments.into_iter().flat_map(|(line, n)| [line, n]).chain(places))
}

/// The canonical form of tiles: records with a backdrop, and a segment count or the inverted position of the segments.
/// Positions are arbitrary, so each becomes `u32::MAX`.
fn allocated_tiles(words: &[u32]) -> Vec<u8> {
    let records = words.as_chunks::<2>().0;
    bytes(records.iter().flat_map(|&[backdrop, count]| {
        [backdrop, if count as i32 >= 0 { count } else { u32::MAX }]
    }))
}

/// The canonical form of the command lists of the 256 tiles, read as the last stage reads them. It omits the positions of
/// segments and of continuation blocks. Its last word is 1 if the segments of all fills together cover a range without
/// gap or overlap.
fn commands(ptcl: &[u32]) -> Vec<u8> {
    const TILE_WORDS: usize = 64;
    const END: u32 = 0;
    const FILL: u32 = 1;
    const JUMP: u32 = 12;
    let length = |command| match command {
        END | 3 | 10 => 1,
        5 | 9 | JUMP => 2,
        6 | 7 | 8 | 11 | 13 => 3,
        FILL => 4,
        other => panic!("{other} is no command"),
    };
    let mut out = Vec::new();
    let mut ranges = Vec::new();
    for tile in 0..256 {
        let mut at = tile * TILE_WORDS + 1;
        loop {
            let command = &ptcl[at..at + length(ptcl[at])];
            at += command.len();
            match *command {
                [JUMP, to] => at = to as usize,
                [FILL, size_and_rule, start, backdrop] => {
                    out.extend([FILL, size_and_rule, backdrop]);
                    ranges.push((start, start + (size_and_rule >> 1)));
                }
                _ => out.extend(command),
            }
            if command[0] == END {
                break;
            }
        }
    }
    ranges.sort_unstable();
    let seamless = ranges.windows(2).all(|pair| pair[0].1 == pair[1].0);
    out.push(u32::from(seamless && ranges.first().is_none_or(|range| range.0 == 0)));
    bytes(out)
}
