import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeArgs } from '../support/programs/node-args.ts';
import { root } from '../support/repository.ts';
import type { CodeBlock } from './code-blocks.ts';
import { listCodeBlocks } from './code-blocks.ts';

/** Blocks that belong together: one, or all of a page that have a file name. */
export type Program = readonly CodeBlock[];

/** What a process printed, and what its block promises. */
export interface Output {
  readonly prints: readonly string[];
  readonly stdout: readonly string[];
  readonly stderr: string;
}

interface Running {
  readonly output: Promise<Output>;
  /** Resolves when it has printed as many lines as it promises, or ended. */
  readonly printed: Promise<void>;
  readonly end: () => void;
}

/** Every program of the pages of docs/ and of README.md that promises an output. The other READMEs have a test of their own. */
export function listPrograms(): readonly Program[] {
  const blocks = listCodeBlocks().filter(({ page }) => !page.startsWith('packages/'));
  const alone = blocks.filter(({ file, prints }) => file === undefined && prints.length > 0);
  const pages = [...new Set(blocks.filter(({ file }) => file !== undefined).map(({ page }) => page))];
  const together = pages.map((page) =>
    blocks.filter((block) => block.page === page && block.file !== undefined),
  );
  return [...alone.map((block) => [block]), ...together];
}

/**
 * Starts each block that promises an output as a process of its own, all at the same time. Those that run on when all
 * have printed what they promise get SIGTERM.
 */
export async function runProgram(
  program: Program,
  env: Readonly<Record<string, string>>,
): Promise<readonly Output[]> {
  // Below node_modules, so that imports are resolved as in this repository, and git does not see it.
  const folder = mkdtempSync(join(root, 'node_modules/.program-'));
  try {
    const files = program.map((block) => ({
      block,
      path: join(folder, block.file ?? `main.${extensionOf(block)}`),
    }));
    for (const { block, path } of files) writeFileSync(path, block.text);
    const running = files
      .filter(({ block }) => block.prints.length > 0)
      .map(({ block, path }) => start(path, block.prints, env));
    await Promise.all(running.map(({ printed }) => printed));
    if (running.length > 1) for (const { end } of running) end();
    return await Promise.all(running.map(({ output }) => output));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function extensionOf({ language }: CodeBlock): string {
  return language === 'ts' ? 'mts' : 'mjs';
}

function start(path: string, prints: readonly string[], env: Readonly<Record<string, string>>): Running {
  const child = spawn(process.execPath, [...nodeArgs(), path], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const printed = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
      if (linesOf(stdout).length >= prints.length) resolve();
    });
    void ended.then(resolve);
  });
  const output = ended.then(() => ({ prints, stdout: linesOf(stdout), stderr }));
  return { output, printed, end: () => void child.kill('SIGTERM') };
}

/** The complete lines. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}
