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

/** Returns the payload as the schema validated it. @throws {PayloadError} with every issue when it is invalid */
export async function checkPayload(schema: StandardSchema | undefined, payload: unknown): Promise<unknown> {
  if (schema === undefined) return payload;
  const result = await schema['~standard'].validate(payload);
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(issueText);
  throw new PayloadError(`the payload does not match its schema: ${issues.join('; ')}`, issues);
}

/** `user.emails.0: must be an email` */
function issueText({ message, path = [] }: SchemaIssue): string {
  const keys = path.map((step) => String(typeof step === 'object' ? step.key : step));
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
}
