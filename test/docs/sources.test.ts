import { describe, expect, it } from 'vitest';
import { listPackageNames, listTypeScript, readText } from '../support/repository.ts';

const [rules = '', defects = ''] = readText('docs/sources.md').split('## Defects seen elsewhere');

/** Rows of four cells, without the heads of the tables. */
const rowsOf = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/^\| (.+) \|$/gm)]
    .map(([, row = '']) => row.split(' | '))
    .filter(([first]) => first !== 'Rule' && first !== 'Defect' && first !== '---');

const codeIn = (cells: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(cells.flatMap((cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))),
];

const ruleRows = rowsOf(rules);
const sources = listPackageNames().flatMap((name) => listTypeScript(`packages/${name}/src`));
const declarations = sources.map(readText).join('\n');
const tests = listTypeScript('test').filter((path) => path.endsWith('.test.ts'));

describe('docs/sources.md', () => {
  it('has many rules, each with its function and its test', () => {
    expect(ruleRows.length).toBeGreaterThan(30);
    expect(ruleRows.filter((cells) => cells.length !== 4)).toEqual([]);
  });

  it.each(codeIn(ruleRows.map((cells) => cells[2])))('names %s, which a package declares', (name) => {
    const declared = new RegExp(`^(?:export )?(?:const|function) ${name}\\b`, 'm').test(declarations);

    expect(declared).toBe(true);
  });

  it.each(codeIn(ruleRows.map((cells) => cells[3])))('names the test %s, which exists', (name) => {
    expect(tests.filter((path) => path.endsWith(`/${name}`))).not.toEqual([]);
  });
});

describe('the defects of docs/sources.md', () => {
  const rows = rowsOf(defects);

  it('are many', () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.filter((cells) => cells.length !== 4)).toEqual([]);
  });

  it.each(rows)('%s: seen in %s, has its test in test/%s: %s', (_defect, _seenIn, folder, title) => {
    const files = tests.filter((path) => path.startsWith(`test/${folder}/`));

    expect(files.filter((path) => readText(path).includes(`'${title}'`))).not.toEqual([]);
  });
});
