/** A value of a packed argument. */
export type Packed = string | number | readonly Packed[];

let buffer = Buffer.allocUnsafe(16_384);
let end = 0;

/** Packs a value as MessagePack, which the server unpacks at the speed of C. */
export function pack(value: Packed): Buffer {
  end = 0;
  write(value);
  return Buffer.from(buffer.subarray(0, end));
}

function write(value: Packed): void {
  if (typeof value === 'string') writeText(value);
  else if (typeof value === 'number') writeNumber(value);
  else {
    if (end + 5 > buffer.length) grow(5);
    buffer[end] = 0xdd;
    end = buffer.writeUInt32BE(value.length, end + 1);
    for (const item of value) write(item);
  }
}

function writeNumber(value: number): void {
  if (end + 9 > buffer.length) grow(9);
  if (Number.isInteger(value) && value >= 0 && value < 128) {
    buffer[end++] = value;
    return;
  }
  buffer[end] = 0xcb;
  end = buffer.writeDoubleBE(value, end + 1);
}

/** Short text is mostly ASCII: it is written character by character up to the first one that is not. */
function writeText(text: string): void {
  const most = 5 + text.length * 3;
  if (end + most > buffer.length) grow(most);
  const from = end + 5;
  const written = text.length < 64 ? writePlain(text, from) : -1;
  const size = written >= 0 ? written : buffer.write(text, from, 'utf8');
  buffer[end] = 0xdb;
  buffer.writeUInt32BE(size, end + 1);
  end = from + size;
}

/** Returns -1 when the text is not plain ASCII. */
function writePlain(text: string, from: number): number {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127) return -1;
    buffer[from + index] = code;
  }
  return text.length;
}

function grow(size: number): void {
  const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + size));
  buffer.copy(larger, 0, 0, end);
  buffer = larger;
}
