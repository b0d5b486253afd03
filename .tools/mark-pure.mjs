/**
 * Marks what modules compute when they are loaded as removable. `sideEffects: false` promises bundlers that a module may be left out; but
 * a built package has many modules in one file, of which they can leave out only what is marked.
 */
import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import ts from 'typescript';

const MARK = '/* @__PURE__ */ ';

/** An esbuild plugin for a package whose manifest says `sideEffects: false`. */
export const markPure = {
  name: 'mark-pure',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({
      contents: markModule(readFileSync(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

/** Returns the text of a module in which the initial value of each constant is removable. */
export function markModule(text) {
  const source = ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, true);
  const declarations = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .filter(({ name, initializer }) => ts.isIdentifier(name) && initializer !== undefined);
  const values = keptOf(declarations.map(({ initializer }) => initializer));
  // From the end, so that the positions of those before hold.
  return values.reduceRight((marked, value) => {
    const before = marked.slice(0, value.getStart());
    return `${before}${markValue(value.getText())}${marked.slice(value.end)}`;
  }, text);
}

/** The function is called where the constant is used: esbuild puts its body there. */
function markValue(text) {
  return `${MARK}(() => (${text}))()`;
}

/** Returns the values that esbuild keeps where nothing uses them. Every name in them counts as imported: most are. */
function keptOf(values) {
  const names = [...new Set(values.flatMap((value) => [...namesIn(value)]))];
  const imported = names.filter((name) => !KNOWN_NAMES.includes(name));
  const lines = values.map((value, index) => `const value${index}of = ${value.getText()};`);
  const code = `import { ${imported.join(', ')} } from 'anywhere';\n${lines.join('\n')}`;
  const { code: left } = transformSync(code, { loader: 'ts', format: 'esm', treeShaking: true });
  return values.filter((_, index) => left.includes(`value${index}of =`));
}

/** Names of the language, which esbuild knows. */
const KNOWN_NAMES = ['Infinity', 'Map', 'NaN', 'Object', 'Set', 'Symbol', 'WeakMap', 'WeakSet', 'undefined'];

function namesIn(node, names = new Set()) {
  if (ts.isTypeNode(node)) return names;
  if (ts.isIdentifier(node) && !isOfProperty(node)) names.add(node.text);
  ts.forEachChild(node, (inner) => {
    namesIn(inner, names);
  });
  return names;
}

/** Whether it names a property, as `default` may. */
function isOfProperty(node) {
  return (
    (ts.isPropertyAssignment(node.parent) || ts.isPropertyAccessExpression(node.parent)) &&
    node.parent.name === node
  );
}
