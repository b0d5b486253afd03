import { utf8Bytes } from './storable/texts.ts';

/** The longest tag, in bytes of UTF-8: an id has room for as much again and the braces. */
const MAX_TAG_BYTES = 440;

/**
 * Returns the text that decides in which partition a broker keeps the run of an id: what is between the first `{` and the next `}`,
 * as in a key of Redis Cluster, unless that is empty; else the whole id. So `{order-1}a` and `{order-1}b` are kept together, and so is
 * any id that begins with `{${partitionTag(id)}}` with the run of that id.
 *
 * For that, a `}` in an id without a tag counts as `{`, and a text that is too long for an id of another run is replaced by a hash.
 *
 * @returns 1 to 440 bytes of UTF-8 without `}`; `partitionTag('{' + partitionTag(id) + '}…')` is the same
 */
export function partitionTag(id: string): string {
  const from = id.indexOf('{');
  const to = from === -1 ? -1 : id.indexOf('}', from);
  if (to === -1 || to === from + 1) return bounded(id.includes('}') ? id.replaceAll('}', '{') : id);
  return bounded(id.slice(from + 1, to));
}

function bounded(text: string): string {
  return text.length * 3 > MAX_TAG_BYTES && utf8Bytes(text) > MAX_TAG_BYTES
    ? `#${fnv1a(text).toString(16)}`
    : text;
}

/** Returns the FNV-1a hash of a text, by its UTF-16 units: 32 bits, spread evenly. It is no protection from forgery. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}
