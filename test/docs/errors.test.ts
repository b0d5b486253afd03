import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse, walk } from '../architecture/rules/source.ts';
import { listPackageNames, listTypeScript, readText } from '../support/repository.ts';

const page = readText('docs/errors.md');
const sections = page
  .split(/^(?=### )/m)
  .slice(1)
  .map((text) => ({ code: /^### `(\w+)`$/m.exec(text)?.[1] ?? text, text: text.split(/^## /m)[0] ?? '' }));
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code = '']) => code);

/** The message that a section quotes. */
function exampleOf(section: string): string {
  const lines = [...section.matchAll(/^> ?(.*)$/gm)].map(([, line = '']) => line);
  return lines.filter(Boolean).join(' ').replaceAll('\\<', '<');
}

const CODE = /^[A-Z]+(_[A-Z]+)*$/;

/** Codes of types that are named so, of errors where they are created, and of process warnings. */
function codesOf(text: string, path = 'source.ts'): readonly string[] {
  return walk(parse({ path, text })).flatMap((node) => {
    if (ts.isTypeAliasDeclaration(node) && node.name.text.endsWith('Code')) return literalsIn(node.type);
    if (ts.isNewExpression(node) && /Error$/.test(node.expression.getText()))
      return literalsIn(node.arguments?.[0]);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword)
      return literalsIn(node.arguments[0]);
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'code') return literalsIn(node.initializer);
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'UNREADABLE_RUN')
      return literalsIn(node.initializer);
    return [];
  });
}

function literalsIn(node: ts.Node | undefined): readonly string[] {
  if (node === undefined) return [];
  return walk(node)
    .filter(ts.isStringLiteral)
    .map(({ text }) => text)
    .filter((text) => CODE.test(text));
}

/** Codes of drivers and of the runtime, which the sources match. */
const FOREIGN = /^(E[A-Z]+|ERR_.+|UND_ERR_.+|EAI_AGAIN)$/;

/** The codes in the presets are all of drivers. */
const sources = listPackageNames()
  .flatMap((name) => listTypeScript(`packages/${name}/src`))
  .filter((path) => !path.includes('/core/src/presets/'));

function allCodes(paths: readonly string[]): ReadonlySet<string> {
  const found = paths.flatMap((path) => codesOf(readText(path), path));
  return new Set(found.filter((code) => !FOREIGN.test(code)));
}

/** Codes of what `retry doctor` finds: no errors, but for those that it takes from brokers. */
const findings = allCodes(sources.filter((path) => path.includes('/cli/src/doctor/')));
const codes = allCodes(sources.filter((path) => !path.includes('/cli/src/doctor/')));

describe('docs/queue-from-a-shell.md', () => {
  it('has every code of what doctor finds', () => {
    const table = readText('docs/queue-from-a-shell.md').split('## What `doctor` finds')[1] ?? '';

    expect(findings.size).toBeGreaterThan(10);
    expect([...findings].filter((code) => !table.includes(`\`${code}\``))).toEqual([]);
  });
});

describe('docs/errors.md', () => {
  it('has every code of the sources, and no other', () => {
    const listed = new Set([...sections.map(({ code }) => code), ...rows]);

    expect(codes.size).toBeGreaterThan(40);
    expect([...codes].filter((code) => !listed.has(code))).toEqual([]);
    expect([...listed].filter((code) => !codes.has(code))).toEqual([]);
  });

  it('has one section for each code', () => {
    const listed = sections.map(({ code }) => code);

    expect(listed.length).toBe(new Set(listed).size);
  });

  it.each(sections)('has an example, the cause and the cure of $code', ({ text }) => {
    expect(text).toMatch(/^> \S/m);
    expect(text).toMatch(/^Cause: \S/m);
    // The second sentence of a message is the cure.
    if (!/\S[.:] [A-Z]/.test(exampleOf(text))) expect(text).toMatch(/\sCure: \S/);
  });
});

/** Messages that are a caller's own, made of lines, raised by SQL, or mostly made of values. */
const NOT_COMPARED = new Set([
  'NON_RETRYABLE',
  'INVALID_OPTIONS',
  'BLOCKED_MIGRATION',
  'NEWER_SCHEMA',
  'RUN_FAILED',
  'RETRY_UNHANDLED_ERROR',
  'RETRY_BOARD_ERROR',
]);

const messages = listPackageNames()
  .flatMap((name) => listTypeScript(`packages/${name}/src`))
  .flatMap((path) => textsOf(readText(path), path));

describe('the examples of docs/errors.md', () => {
  it.each(sections.filter(({ code }) => !NOT_COMPARED.has(code)))(
    'say what the sources say of $code',
    ({ text }) => {
      const example = exampleOf(text);

      expect(messages.filter((message) => isSaidBy(message, example))).not.toEqual([]);
    },
  );
});

/** A text of the sources: what is written between its values. */
type Message = readonly string[];

/** Returns whether the parts follow each other in the text, and make up at least a third of it. */
function isSaidBy(message: Message, text: string): boolean {
  if (message.join('').length < text.length / 3) return false;
  let end = 0;
  return message.every((part) => {
    const at = text.indexOf(part, end);
    end = at + part.length;
    return at >= 0;
  });
}

/** Every text of a source: strings, templates, and their sums. */
function textsOf(text: string, path: string): readonly Message[] {
  return walk(parse({ path, text })).flatMap((node) => {
    const parts = partsOf(node);
    return parts === undefined ? [] : [parts.map((part) => part.trimEnd())];
  });
}

function partsOf(node: ts.Node): Message | undefined {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  return [...(partsOf(node.left) ?? ['']), ...(partsOf(node.right) ?? [''])];
}

describe('codesOf', () => {
  it.each([
    ["type QueueCode = 'RUN_FAILED' | 'GONE';", ['RUN_FAILED', 'GONE']],
    ["throw new BrokerError(isOld ? 'OLDER' : 'NEWER', 'TEXT');", ['OLDER', 'NEWER']],
    ["class A extends RetryError { constructor() { super('SHUTDOWN', 'TEXT'); } }", ['SHUTDOWN']],
    ["process.emitWarning('text', { code: 'RETRY_UNHANDLED_ERROR' });", ['RETRY_UNHANDLED_ERROR']],
    ["type Letter = 'A'; new Map('B'); call('C');", []],
  ])('finds those of %s', (text, expected) => {
    expect(codesOf(text)).toEqual(expected);
  });
});
