import { Ajv2020 } from 'ajv/dist/2020.js';
import { readText } from '../support/repository.ts';

const schema = JSON.parse(readText('packages/cli/output.schema.json'));
const ajv = new Ajv2020({ strict: false });
ajv.addSchema(schema);

/** The names of all outputs that the published schema describes. */
export const definitions: readonly string[] = Object.keys(schema.$defs);

/** Returns what the published schema finds wrong with an output; empty: it is valid. */
export function schemaErrors(definition: string, text: string): readonly string[] {
  const validate = ajv.getSchema(`urn:retry:output#/$defs/${definition}`);
  if (validate === undefined) return [`no definition ${definition}`];
  validate(JSON.parse(text));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
