import { InvalidOptionsError } from '@retry/core';
import { PayloadError } from '../errors.ts';

/** Any validator that implements Standard Schema: Zod, Valibot, ArkType and others. See standardschema.dev. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a schema returns for a value: the validated value, or the issues that it found. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One issue that a schema found in a value. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Returns the payload as the schema validated it.
 *
 * @throws {PayloadError} with every issue when it is invalid
 * @throws {InvalidOptionsError} when the schema answers no result; what the validator throws, as it is
 */
export async function checkPayload(schema: StandardSchema | undefined, payload: unknown): Promise<unknown> {
  if (schema === undefined) return payload;
  const result: unknown = await schema['~standard'].validate(payload);
  if (!isResult(result))
    throw new InvalidOptionsError([{ path: 'schema', value: result, ...A_RESULT }], 'task');
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(issueText);
  throw new PayloadError(`the payload does not match its schema: ${issues.join('; ')}`, issues);
}

/** A schema that is no Standard Schema shows it by what it answers. */
const A_RESULT = {
  message: 'must answer { value }, or { issues } with a message each',
  cure: 'Pass a validator that implements Standard Schema.',
};

function isResult(result: unknown): result is SchemaResult<unknown> {
  if (typeof result !== 'object' || result === null) return false;
  const { issues }: { readonly issues?: unknown } = result;
  return issues === undefined || (Array.isArray(issues) && issues.length > 0 && issues.every(isIssue));
}

function isIssue(issue: unknown): issue is SchemaIssue {
  return (
    typeof issue === 'object' && issue !== null && 'message' in issue && typeof issue.message === 'string'
  );
}

/** `user.emails.0: must be an email`. A path only says where: of one that is none, the issue keeps what can be read. */
function issueText({ message, path }: SchemaIssue): string {
  const steps: readonly unknown[] = Array.isArray(path) ? path : [];
  const keys = steps.map((step) => (isObject(step) ? step.key : step)).filter(isKey);
  return keys.length === 0 ? message : `${keys.map(String).join('.')}: ${message}`;
}

function isObject(step: unknown): step is { readonly key?: unknown } {
  return typeof step === 'object' && step !== null;
}

function isKey(key: unknown): key is PropertyKey {
  return typeof key === 'string' || typeof key === 'number' || typeof key === 'symbol';
}
