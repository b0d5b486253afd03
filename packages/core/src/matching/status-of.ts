import { read } from '../read.ts';
import { causesOf } from './causes.ts';
import { otherResponses, RESPONSES } from './responses-of.ts';

const STATUS_KEYS = [
  'status',
  'statusCode',
  'status_code',
  'httpStatus',
  'httpStatusCode',
  'networkStatusCode',
] as const;

/** What else an error of an HTTP client has whose `code` is the status. */
const SIGNS_OF_HTTP = ['response', 'headers', 'body', 'data'] as const;

/** A status in a message, where clients keep it nowhere else. */
const STATUS_IN_TEXT = /\b(?:status(?: ?code)?"?|HTTP(?:\/[\d.]+)?)[ :=]{1,3}([1-5]\d\d)\b/i;

/** Codes of sockets, names and certificates: the request had no response. */
const NO_RESPONSE =
  /^(?:ECONN[A-Z]+|EPIPE|E(?:SOCKET)?TIMEDOUT|ENOTFOUND|EAI_[A-Z]+|E(?:HOST|NET|ADDR)[A-Z]+|EPROTO|UND_ERR_\w+|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_\w+|ERR_(?:TLS|SSL)_\w+)$/;

/** The beginning of a message in which a status is looked for. */
const MAX_MESSAGE_LENGTH = 1_000;

/**
 * Returns the HTTP status of an error or a `Response`; `undefined` if it has none.
 *
 * Reads `status`, `statusCode`, `httpStatus` and their kin, of the error, of its response (`response`, `rawResponse`, `httpResponse`,
 * `context`, `$response`, `meta`, or whatever it holds that has a status and headers) and of `$metadata`; a `code` that is a status
 * beside a response; else the text of the message. A status that the client invented is none: the error has no response, and says
 * itself or by a cause that the connection failed.
 */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const own = ownStatus(error);
  if (own !== undefined) return isInvented(error) ? undefined : own;
  return responseStatus(error) ?? codeAsStatus(error) ?? errorCodeAsStatus(error) ?? statusInText(error);
}

function ownStatus(holder: unknown): number | undefined {
  for (const key of STATUS_KEYS) {
    const status = asStatus(read(holder, key));
    if (status !== undefined) return status;
  }
  return undefined;
}

function asStatus(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^[1-5]\d\d$/.test(value) ? Number(value) : value;
  // 0 and -1 are the status of a request without a response.
  return typeof status === 'number' && status > 0 ? status : undefined;
}

function responseStatus(error: unknown): number | undefined {
  const named = [...RESPONSES, '$metadata'].map((key) => read(error, key));
  return [...named, ...otherResponses(error)].map(ownStatus).find((status) => status !== undefined);
}

/** SendGrid, MCP and OpenTelemetry put the status in `code`. */
function codeAsStatus(error: unknown): number | undefined {
  const code = asFailure(read(error, 'code'));
  const isOfHttp =
    code !== undefined &&
    (SIGNS_OF_HTTP.some((key) => read(error, key) !== undefined) ||
      /HTTP/.test(String(read(error, 'message'))));
  return isOfHttp ? code : undefined;
}

/** The API of Telegram counts its own errors as statuses of HTTP. */
function errorCodeAsStatus(error: unknown): number | undefined {
  return asFailure(read(error, 'error_code') ?? read(read(error, 'response'), 'error_code'));
}

function asFailure(code: unknown): number | undefined {
  return typeof code === 'number' && code >= 400 && code < 600 ? code : undefined;
}

function statusInText(error: unknown): number | undefined {
  const message = read(error, 'message');
  if (typeof message !== 'string') return undefined;
  return Number(STATUS_IN_TEXT.exec(message.slice(0, MAX_MESSAGE_LENGTH))?.[1]) || undefined; // NaN of none
}

function isInvented(error: unknown): boolean {
  if (RESPONSES.some((key) => read(error, key) !== undefined) || read(error, 'headers') !== undefined)
    return false;
  return saysNoResponse(error) || causesOf(error).some(saysNoResponse);
}

function saysNoResponse(error: unknown): boolean {
  return [read(error, 'code'), read(error, 'message')].some(
    (text) => typeof text === 'string' && NO_RESPONSE.test(text),
  );
}
