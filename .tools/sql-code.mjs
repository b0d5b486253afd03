/** Makes the SQL texts of packages/postgres from the files in its folder sql. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadSource } from './load-source.mjs';
import {
  createExpander,
  createIncluder,
  definitionsOf,
  inOrderOfUse,
  readInline,
  signatureOf,
} from './sql.mjs';
import { root } from './workspace.mjs';

const PACKAGE = join(root, 'packages', 'postgres');
const SQL = join(PACKAGE, 'sql');

/** The folders of definitions. What is in `verbs` is called by clients. */
const FOLDERS = ['functions', 'verbs', 'views'];

/** Returns the files that are written, and the text of each. */
export function listSqlCode() {
  const { steps, definitions } = composeSql();
  const calls = definitions.filter(({ folder }) => folder === 'verbs').map(({ text }) => signatureOf(text));
  return [
    { path: join(PACKAGE, 'src/schema/sql-code.ts'), text: writeTexts(steps, definitions) },
    { path: join(PACKAGE, 'src/schema/calls-code.ts'), text: writeCalls(calls) },
  ];
}

/** Returns the SQL files, each with its `folder`, `path` in the package, `source`, and `text` as the server gets it. */
export function composeSql() {
  const expand = createSqlExpander();
  const include = createIncluder(
    new Map(readFolder('parts').map(({ path, source }) => [basename(path, '.sql'), source])),
  );
  const compose = (file) => ({ ...file, text: within(file.path, () => expand(include(file.source))) });
  const files = FOLDERS.flatMap(readFolder).map(compose);
  const definitions = files.flatMap((file) => definitionsOf(file.text).map((text) => ({ ...file, text })));
  const byText = new Map(definitions.map((definition) => [definition.text, definition]));
  return {
    steps: readFolder('migrations').map(compose),
    definitions: inOrderOfUse([...byText.keys()]).map((text) => byText.get(text)),
  };
}

/** Returns a function that expands SQL by the names and inline functions of the package. */
export function createSqlExpander() {
  const { NAMES } = loadSource(join(SQL, 'names.ts'));
  return createExpander(NAMES, new Map(readFolder('inline').flatMap(({ source }) => readInline(source))));
}

/** Reads the SQL files of a folder, by their paths. */
export function readFolder(folder) {
  return readdirSync(join(SQL, folder), { recursive: true })
    .filter((path) => path.endsWith('.sql'))
    .sort()
    .map((path) => ({
      folder,
      path: join('sql', folder, path),
      source: readFileSync(join(SQL, folder, path), 'utf8'),
    }));
}

function within(path, compose) {
  try {
    return compose();
  } catch (error) {
    throw new Error(`${path}: ${error.message}`, { cause: error });
  }
}

function writeTexts(steps, definitions) {
  const listOf = (texts) => texts.map(({ text }) => `  ${JSON.stringify(text)},\n`).join('');
  return `/** Made of the files in sql/ by \`npm run server-code\`. */

/** The numbered steps of the schema, oldest first. */
export const STEPS: readonly string[] = [
${listOf(steps)}];

/** Every function and view of the schema, one definition each, in the order in which they are created. */
export const ROUTINES: readonly string[] = [
${listOf(definitions)}];
`;
}

function writeCalls(calls) {
  const lines = calls.map(({ name, parameters }) => {
    const list = parameters.map(([parameter, type]) => `${keyOf(parameter)}: '${type}'`);
    return `  ${name}: { ${list.join(', ')} },\n`;
  });
  return `/** Made of the files in sql/verbs by \`npm run server-code\`. */

/** The parameters of every function that a client calls, in their order, with their types. */
export const CLIENT_FUNCTIONS = {
${lines.join('')}} as const;
`;
}

/** `p_keep_keys_ms` is `keepKeysMs`. */
function keyOf(parameter) {
  return parameter.slice('p_'.length).replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
}
