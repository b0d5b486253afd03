import { listPages } from '../support/pages.ts';
import { listTypeScript, readText } from '../support/repository.ts';

/** A program or a part of one, as a page shows it. */
export interface CodeBlock {
  readonly page: string;
  /** The line of the page that it begins at, counted from 1. */
  readonly line: number;
  readonly language: 'ts' | 'js';
  /** What its first line, a comment, calls the file: other blocks of the page import it. */
  readonly file: string | undefined;
  readonly text: string;
  /** What its `// => …` comments say it prints, in order. */
  readonly prints: readonly string[];
}

const BLOCK = /^( *)```(ts|js)\n([\s\S]*?)^ *```$/gm;
const FILE = /^\/\/ ([\w-]+\.mjs)\n/;

/** Every block of TypeScript or JavaScript that imports something, of every page, but for recipes, which are checked as files. */
export function listCodeBlocks(): readonly CodeBlock[] {
  const recipes = new Set(listTypeScript('docs/recipes').map(readText));
  return listPages()
    .flatMap(blocksOf)
    .filter(({ text }) => /^import /m.test(text) && !recipes.has(text));
}

function blocksOf(page: string): readonly CodeBlock[] {
  const content = readText(page);
  return [...content.matchAll(BLOCK)].map(({ 1: indent = '', 2: language, 3: indented = '', index }) => {
    const text = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    return {
      page,
      line: content.slice(0, index).split('\n').length,
      language: language === 'js' ? 'js' : 'ts',
      file: FILE.exec(text)?.[1],
      text,
      prints: [...text.matchAll(/\/\/ => (.*)$/gm)].map(([, line = '']) => line),
    };
  });
}
