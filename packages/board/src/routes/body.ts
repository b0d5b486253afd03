import { textProblem } from '@retry/core/broker/kit';
import type { Fields } from '@retry/core/fields';
import { readOptions } from '@retry/core/fields';
import { BoardError } from '../errors.ts';

/** The most bytes of a request, unless its route takes more. */
const MAX_BODY_BYTES = 65_536;

/** The most bytes that are read of a body that is too large: a client that is still sending would not read the answer. */
const MAX_READ_BYTES = 67_108_864;

/** Reads the JSON of a request. @throws {BoardError} `NOT_JSON`, `INVALID_JSON` or `BODY_TOO_LARGE` */
export async function readJson(request: Request, maxBytes: number = MAX_BODY_BYTES): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) throw new BoardError('NOT_JSON', NOT_JSON);
  try {
    const text = await readText(request, maxBytes);
    if (text !== undefined) return JSON.parse(text);
  } catch (cause) {
    // It is no JSON, or the client has broken off.
    throw new BoardError('INVALID_JSON', `the body of the request cannot be read: ${reasonOf(cause)}`, {
      cause,
    });
  }
  const message = `the body of the request is larger than ${maxBytes / 1_024} KiB. Send less.`;
  throw new BoardError('BODY_TOO_LARGE', message);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Returns the body of a request; `undefined` for one that is too large. */
async function readText({ body }: Request, maxBytes: number): Promise<string | undefined> {
  if (body === null) return '{}';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength;
    if (bytes > MAX_READ_BYTES) await reader.cancel();
    else if (bytes <= maxBytes) text += decoder.decode(part.value, { stream: true });
  }
  return bytes > maxBytes ? undefined : text + decoder.decode();
}

/** Reads the body of a request whose keys are these; every other one is a problem. */
export function readBody<Body>(
  body: unknown,
  { subject, keys }: { readonly subject: string; readonly keys: readonly (keyof Body & string)[] },
  read: (fields: Fields) => Body = (fields) => valuesOf(fields, keys),
): Body {
  return readOptions(body, { subject, keys }, (fields) => {
    if (keys.includes('reason' as keyof Body & string)) fields.optional('reason', A_REASON);
    return read(fields);
  });
}

/** Returns the values of these keys that are set. What each may be is for the queue to say. */
export function valuesOf<Body>(fields: Fields, keys: readonly (keyof Body & string)[]): Body {
  const values = keys.map((key) => [key, fields.value(key)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Body; // checked where it is used
}

/** Reports a body without a reason. */
export function demandReason(fields: Fields): void {
  if (fields.value('reason') === undefined) fields.fail('reason', A_REASON.message, A_REASON.cure);
}

const A_REASON = {
  accepts: (value: unknown): value is string => textProblem(value) === undefined,
  message: 'must be text of 1 to 512 bytes',
  cure: "Say why, for people: 'the mail server is back'.",
};

const NOT_JSON = 'the body of the request is not JSON by its type. Send it as application/json.';
