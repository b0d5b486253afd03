import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root } from '../support/repository.ts';
import type { CodeBlock } from './code-blocks.ts';
import { listCodeBlocks } from './code-blocks.ts';

/** The compiler reads every package, which takes long on a busy machine. */
const TIMEOUT_MS = 300_000;

/** Programs in JavaScript are run, so only their names are checked: those of modules, of exports and of variables. */
const UNKNOWN_NAME = new Set([2304, 2305, 2307, 2552, 2724]);

const blocks = listCodeBlocks();

describe('the code of the documentation', () => {
  it('is a lot', () => {
    expect(blocks.length).toBeGreaterThan(30);
  });

  it('type-checks, every block with an import', { timeout: TIMEOUT_MS }, () => {
    expect(findMistakes(blocks)).toEqual([]);
  });
});

/** What the compiler says of the blocks, as if each were a file beside the pages. */
function findMistakes(given: readonly CodeBlock[]): readonly string[] {
  const files = new Map(given.map((block, index) => [pathOf(block, index), block]));
  const options = readOptions();
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const folders = new Set([...files.keys()].map(dirname));
  host.directoryExists = (path) => folders.has(path) || ts.sys.directoryExists(path);
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path)?.text ?? readFile(path);
  host.getSourceFile = (path, version) => {
    const text = files.get(path)?.text;
    return text === undefined ? getSourceFile(path, version) : ts.createSourceFile(path, text, version);
  };
  const program = ts.createProgram({ rootNames: [...files.keys()], options, host });
  return [...files].flatMap(([path, block]) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
      .filter(({ code }) => block.language === 'ts' || UNKNOWN_NAME.has(code))
      .map((diagnostic) => describeMistake(block, diagnostic));
  });
}

function pathOf({ page, file, language }: CodeBlock, index: number): string {
  const folder = join(root, 'docs', page.replaceAll(/\W/g, '-'));
  return join(folder, file ?? `block-${index}.${language === 'ts' ? 'mts' : 'mjs'}`);
}

function readOptions(): ts.CompilerOptions {
  const path = join(root, 'docs/tsconfig.json');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path, ts.sys.readFile).config,
    ts.sys,
    join(root, 'docs'),
  );
  // Examples declare what they do not use, and read process.env as people do.
  const loose = {
    noUnusedLocals: false,
    noUnusedParameters: false,
    noPropertyAccessFromIndexSignature: false,
  };
  return { ...options, ...loose, noEmit: true, allowJs: true, checkJs: true, skipLibCheck: true };
}

function describeMistake({ page, line }: CodeBlock, { file, start = 0, messageText }: ts.Diagnostic): string {
  const within = file?.getLineAndCharacterOfPosition(start).line ?? 0;
  return `${page}:${line + within + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
}
