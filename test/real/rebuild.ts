/**
 * Rebuilds what a driver or client threw from its record: the classes by their names, own properties, getters, causes.
 * `"#": "RateLimitError<APIError<Error<Object"` is the chain of classes; `"[Headers]"` and `"[Map]"` hold the entries of one;
 * texts as `"[Object]"` replace what was cut off, and are rebuilt as empty values.
 */
export function rebuild(shape: unknown): unknown {
  if (typeof shape === 'string') return placeholder(shape);
  if (Array.isArray(shape)) return shape.map(rebuild);
  if (typeof shape !== 'object' || shape === null) return shape;
  const record = shape as Readonly<Record<string, unknown>>;
  if ('[Headers]' in record) return new Headers(entriesOf(record['[Headers]']));
  if ('[Map]' in record)
    return new Map(Object.entries(Object(record['[Map]'])).map(([key, one]) => [key, rebuild(one)]));
  return fill(createEmpty(record), record);
}

/** The record of a client has the chain of classes; that of a driver has `class` where it is not `Error`. */
function createEmpty(record: Readonly<Record<string, unknown>>): object {
  const { '#': chain, class: ownClass, name, message } = record;
  if (typeof chain === 'string')
    return createOf(
      chain.split('<').filter((link) => link !== 'Object'),
      message,
    );
  const isError = typeof name === 'string' && (typeof message === 'string' || name.endsWith('Error'));
  const links = typeof ownClass === 'string' ? [ownClass] : [];
  return isError || links.length > 0 ? createOf(isError ? [...links, 'Error'] : links, message) : {};
}

function createOf(classes: readonly string[], message: unknown): object {
  const isError = classes.includes('Error');
  let prototype: object = isError ? Error.prototype : Object.prototype;
  for (const name of [...classes].reverse()) {
    if (name !== 'Error') prototype = Object.create(prototype, { constructor: { value: classNamed(name) } });
  }
  // A prototype of its own takes the getters of this instance.
  const own: object = Object.create(prototype);
  if (!isError) return Object.create(own);
  return Object.setPrototypeOf(new Error(typeof message === 'string' ? message : ''), own);
}

function classNamed(name: string): unknown {
  return Object.defineProperty(() => {}, 'name', { value: name });
}

function fill(made: object, record: Readonly<Record<string, unknown>>): object {
  for (const [key, value] of Object.entries(record)) {
    if (key === '#' || (key === 'class' && made instanceof Error)) continue;
    const isGetter = key.startsWith('get ');
    const target = isGetter ? Object.getPrototypeOf(made) : made;
    const name = isGetter ? key.slice('get '.length) : key;
    if (target === Object.prototype) continue;
    const isSeen = name !== 'message' && name !== 'stack';
    Object.defineProperty(target, name, {
      value: rebuild(value),
      enumerable: isSeen,
      configurable: true,
      writable: true,
    });
    if (key === 'rawHeaders' && Array.isArray(value)) Object.assign(made, { headers: pairs(value) });
    // The class of node-fetch has getters that read this.
    if (key === 'Symbol(Response internals)') fill(made, pick(Object(value), ['status', 'headers']));
  }
  return made;
}

/** The class of Node's responses has a getter `headers`. */
function pairs(raw: readonly unknown[]): Readonly<Record<string, unknown>> {
  const names = raw.flatMap((name, index) =>
    index % 2 === 0 ? [[String(name).toLowerCase(), raw[index + 1]]] : [],
  );
  return Object.fromEntries(names);
}

function pick(
  record: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(keys.flatMap((key) => (key in record ? [[key, record[key]]] : [])));
}

function placeholder(text: string): unknown {
  const inner = /^\[([\w ]*)\]$/.exec(text)?.[1];
  if (inner === undefined) return text;
  if (inner === 'undefined') return undefined;
  if (inner.startsWith('array ')) return [];
  if (inner.startsWith('function')) return () => undefined;
  return inner === 'Error' ? new Error() : {};
}

function entriesOf(headers: unknown): [string, string][] {
  return Object.entries(Object(headers)).map(([key, value]) => [key, String(value)]);
}
