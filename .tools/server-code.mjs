/**
 * `npm run server-code`: formats the files in packages/redis-queue/lua, makes scripts of them, and writes these as text into the sources, so
 * that neither a bundler nor a run from source needs a file beside the program; and writes there the SQL of packages/postgres/sql.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as stylua from '@johnnymorganz/stylua';
import { createComposer } from './compose-lua.mjs';
import { loadSource } from './load-source.mjs';
import { createExpander, readInline } from './lua.mjs';
import { listSqlCode } from './sql-code.mjs';
import { root } from './workspace.mjs';

const PACKAGE = join(root, 'packages', 'redis-queue');
const LUA = join(PACKAGE, 'lua');

/** Returns the files, and the text that each should have. */
export function listServerCode() {
  return [
    ...listFormatted(),
    { path: join(PACKAGE, 'src/scripts/lua-code.ts'), text: writeModule(composeScripts()) },
    ...listSqlCode(),
  ];
}

function listFormatted() {
  return pathsIn('').map((path) => {
    const file = join(LUA, path);
    return { path: file, text: format(readFileSync(file, 'utf8')) };
  });
}

function format(text) {
  const config = stylua.Config.new();
  config.column_width = 140;
  config.indent_type = stylua.IndentType.Spaces;
  config.indent_width = 2;
  config.quote_style = stylua.QuoteStyle.AutoPreferSingle;
  config.collapse_simple_statement = stylua.CollapseSimpleStatement.ConditionalOnly;
  config.syntax = stylua.LuaVersion.Lua51;
  return stylua.formatCode(text, config, undefined, stylua.OutputVerification.None);
}

/** Returns a function that expands Lua by the names of the package. */
export function createLuaExpander() {
  return createExpander(
    loadSource(join(PACKAGE, 'lua/names.ts')).NAMES,
    readInline(readFileSync(join(LUA, 'inline.lua'), 'utf8')),
  );
}

/** Returns each script by its name: its pieces and keys. */
export function composeScripts() {
  const expand = createLuaExpander();
  const { KEY_NAMES } = loadSource(join(PACKAGE, 'src/store/keys.ts'));
  const library = new Map(readFolder('library', expand).map((file) => [file.name, file]));
  const parts = new Map(readFolder('parts', expand).map((file) => [file.name, file]));
  const compose = createComposer({ library, parts, rare: readFolder('rare', expand) }, KEY_NAMES);
  return readFolder('scripts', expand).map((file) => ({ ...file, ...compose(file) }));
}

/** Reads the files of a folder: the name of each, what it uses, and its text as it is sent. */
function readFolder(folder, expand) {
  return pathsIn(folder).map((path) => {
    const source = readFileSync(join(LUA, path), 'utf8');
    const uses = /^-- @use (.+)$/m.exec(source)?.[1].split(', ') ?? [];
    return { name: basename(path, '.lua'), path, source, uses, text: expandFile(path, source, expand) };
  });
}

function pathsIn(folder) {
  return readdirSync(join(LUA, folder), { recursive: true })
    .filter((path) => path.endsWith('.lua'))
    .sort()
    .map((path) => join(folder, path));
}

function expandFile(path, source, expand) {
  try {
    return expand(source);
  } catch (error) {
    throw new Error(`${path}: ${error.message}`, { cause: error });
  }
}

/** Every text that several scripts have is in the module once. */
function writeModule(scripts) {
  const numbers = new Map();
  const numberOf = (piece) => {
    if (!numbers.has(piece)) numbers.set(piece, numbers.size);
    return numbers.get(piece);
  };
  const lines = scripts.map(({ name, keys, pieces }) => {
    const constant = `${name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase())}Script`;
    const texts = pieces.map((piece) => `P${numberOf(piece)}`);
    return `export const ${constant}: Script = createScript(${JSON.stringify(keys)}, [${texts.join(', ')}]);`;
  });
  const texts = [...numbers].map(([piece, number]) => `const P${number} = ${JSON.stringify(piece)};`);
  const head = '/** Made of the files in lua/ by `npm run server-code`. */';
  const imports = "import { createScript, type Script } from './create-script.ts';";
  return `${[head, imports, ...texts, ...lines].join('\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of listServerCode()) {
    if (readFileSync(path, { encoding: 'utf8', flag: 'a+' }) !== text) writeFileSync(path, text);
  }
}
