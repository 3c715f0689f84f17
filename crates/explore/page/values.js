// Bytes as numbers of a type.

// A half: sign, five bits of exponent, ten of fraction.
function half(view, at) {
  const bits = view.getUint16(at, true);
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  let value = fraction === 0 ? Infinity : NaN;
  if (exponent === 0) value = fraction * 2 ** -24;
  else if (exponent !== 31) value = (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits >> 15 ? -value : value;
}

const short = (value) => {
  if (!Number.isFinite(value) || Number.isInteger(value)) return Object.is(value, -0) ? "-0" : String(value);
  return String(Number(value.toPrecision(7)));
};
const hex = (digits) => (value) => value.toString(16).padStart(digits, "0");

// Name, bytes, reader, text.
export const TYPES = {
  F: [4, (view, at) => view.getFloat32(at, true), short],
  D: [4, (view, at) => view.getInt32(at, true), String],
  UD: [4, (view, at) => view.getUint32(at, true), String],
  hex: [4, (view, at) => view.getUint32(at, true), hex(8)],
  HF: [2, half, short],
  W: [2, (view, at) => view.getInt16(at, true), String],
  UW: [2, (view, at) => view.getUint16(at, true), String],
  B: [1, (view, at) => view.getInt8(at), String],
  UB: [1, (view, at) => view.getUint8(at), String],
  DF: [8, (view, at) => view.getFloat64(at, true), short],
  Q: [8, (view, at) => view.getBigInt64(at, true), String],
  UQ: [8, (view, at) => view.getBigUint64(at, true), String],
};

export const size = (type) => TYPES[type][0];

export function bytes(digits) {
  const made = new Uint8Array(digits.length / 2);
  for (let n = 0; n < made.length; n++) made[n] = parseInt(digits.slice(2 * n, 2 * n + 2), 16);
  return made;
}

// The text of the number at a byte; empty beyond the end.
export function text(array, at, type) {
  const [length, read, show] = TYPES[type];
  if (at + length > array.length) return "";
  return show(read(new DataView(array.buffer, array.byteOffset, array.length), at));
}

// Whether a range of bytes differs between two arrays; false without an earlier one.
export function differs(now, before, at, length) {
  if (!before) return false;
  for (let n = at; n < at + length; n++) if (now[n] !== before[n]) return true;
  return false;
}
