import { discardBody } from './refused-response.ts';
import type { GivenRequest } from './sent-request.ts';

/** Kinds that list their content, and do so again; other iterables are read once. */
const READ_AGAIN = ['Array', 'FormData', 'String', 'URLSearchParams'];

/** How the bodies that may change are copied: each as what it is, or as the text that `fetch` makes of it. */
const COPIES: ReadonlyMap<string, (body: never) => unknown> = new Map<string, (body: never) => unknown>([
  ['ArrayBuffer', (body: ArrayBuffer) => body.slice(0)],
  ['FormData', copyOfForm],
  ['URLSearchParams', (body: URLSearchParams) => new URLSearchParams(`${body}`)],
  ['Array', String],
  ['String', String],
  ['URL', String],
]);

/**
 * Returns whether the body can be sent again; that of a stream or an iterator cannot. Whether a `Request` has a body, not every browser
 * says.
 */
export function hasReplayableBody({ input, init: { body } }: GivenRequest): boolean {
  if (body !== undefined && body !== null) return isReplayable(body);
  // For `null`, `fetch` sends the body of the Request, too.
  return typeof input === 'string' || input.body === null || ['GET', 'HEAD'].includes(input.method);
}

/** Returns the request with a body of its own: what the caller writes into his is not sent. */
export function withOwnBody(given: GivenRequest): GivenRequest {
  const { body } = given.init;
  if (typeof body !== 'object' || body === null) return given;
  return { ...given, init: { ...given.init, body: copyOf(body) as typeof body } }; // of its kind, or the text of it
}

/** Ends the body of a request that the caller aborted before it was sent, as `fetch` does: a stream would keep its file open. */
export function discardUnsent(given: GivenRequest): void {
  const { input, init } = given;
  if (!hasReplayableBody(given)) discardBody({ body: init.body ?? Object(input).body });
}

function isReplayable(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || ArrayBuffer.isView(body)) return true;
  if ('getReader' in body || 'pipe' in body || Symbol.asyncIterator in body) return false;
  return !(Symbol.iterator in body) || READ_AGAIN.includes(kindOf(body));
}

function copyOf(body: object): unknown {
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  const copy = COPIES.get(kindOf(body));
  return copy === undefined ? body : copy(body as never); // of the kind that it copies
}

/**
 * Copies a form: one of another implementation as such, one of a subclass without it, whose constructor may want arguments, or add
 * fields.
 */
function copyOfForm(form: FormData): FormData {
  let own: FormData = form;
  while (!Object.hasOwn(own, Symbol.toStringTag)) own = Object.getPrototypeOf(own);
  const copy: FormData = Reflect.construct(own.constructor, []);
  // A file keeps its name; the types know only text here.
  for (const [name, value] of form) copy.append(name, value as string);
  return copy;
}

/** Returns the kind of a body by its name, not by `instanceof`: the classes of undici are not those of Node. */
function kindOf(body: object): string {
  return Object.prototype.toString.call(body).slice('[object '.length, -1);
}
