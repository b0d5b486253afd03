/**
 * Lua files as the server gets them: without comments, with the values of names that begin with a capital letter, and with the
 * expressions of inline functions in place of their calls. docs/server-code.md says how such files are written.
 */
import luaparse from 'luaparse';

/** How tightly operators bind, loosely first. */
const PRECEDENCE = [
  ['or'],
  ['and'],
  ['<', '>', '<=', '>=', '~=', '=='],
  ['..'],
  ['+', '-'],
  ['*', '/', '%'],
  ['not', '#', 'unary'],
  ['^'],
];

/** Operators that may be applied in any order. */
const CHAINS = ['or', 'and', '..', '+', '*'];

const precedenceOf = (operator) => PRECEDENCE.findIndex((operators) => operators.includes(operator));

export function parseLua(text) {
  return luaparse.parse(text, {
    luaVersion: '5.1',
    ranges: true,
    comments: true,
    scope: true,
    encodingMode: 'pseudo-latin1',
  });
}

/** The functions of a file that consist of one `return` each, by their names. */
export function readInline(text) {
  return new Map(
    parseLua(text).body.map(({ identifier, parameters, body }) => [
      identifier.name,
      { parameters: parameters.map(({ name }) => name), node: body[0].arguments[0], source: text },
    ]),
  );
}

/** Returns a function that expands the text of a Lua file. */
export function createExpander(names, inline) {
  const layoutNames = new Map(Object.entries(names));

  /** The value of an expression that is known when the scripts are built, or undefined. */
  function constantOf(node, scope) {
    switch (node.type) {
      case 'StringLiteral':
      case 'NumericLiteral':
        return node.value;
      case 'Identifier': {
        const given = scope.given.get(node.name);
        if (given !== undefined) return constantOf(given.node, given.scope);
        return layoutNames.get(node.name);
      }
      case 'MemberExpression': {
        const table = constantOf(node.base, scope);
        if (table === undefined) return undefined;
        const value = Object.hasOwn(table, node.identifier.name) ? table[node.identifier.name] : undefined;
        if (value === undefined) throw new Error(`There is no ${textOf(node, scope)}.`);
        return value;
      }
      case 'UnaryExpression': {
        const value = constantOf(node.argument, scope);
        if (node.operator === '#' && typeof value === 'string') return value.length;
        return node.operator === '-' && typeof value === 'number' ? -value : undefined;
      }
      case 'BinaryExpression':
        return fold(node.operator, constantOf(node.left, scope), constantOf(node.right, scope));
      case 'CallExpression':
        return constantOfCall(node, scope);
      default:
        return undefined;
    }
  }

  function constantOfCall({ base, arguments: args }, scope) {
    const called = inline.get(base.name);
    if (called !== undefined) return constantOf(called.node, scopeOf(called, args, scope));
    const value = args.length === 1 ? constantOf(args[0], scope) : undefined;
    if (base.name === 'byte' && typeof value === 'string') return value.charCodeAt(0);
    if (base.name === 'char' && typeof value === 'number') return String.fromCharCode(value);
    return undefined;
  }

  function scopeOf({ parameters, source }, args, scope) {
    return { source, given: new Map(parameters.map((name, index) => [name, { node: args[index], scope }])) };
  }

  /** The Lua text of an expression or statement. */
  function render(node, scope) {
    const value = isLiteral(node) ? undefined : constantOf(node, scope);
    if (typeof value === 'object') throw new Error(`${textOf(node, scope)} is no value.`);
    if (value !== undefined) return literal(value);
    if (node.type === 'Identifier') {
      const given = scope.given.get(node.name);
      return given === undefined ? node.name : render(given.node, given.scope);
    }
    if (node.type === 'CallExpression') {
      const called = inline.get(node.base.name);
      if (called !== undefined) return render(called.node, scopeOf(called, node.arguments, scope));
      const made = BUILT_IN[node.base.name];
      if (made !== undefined) return made(node.arguments, scope);
    }
    return renderParts(node, scope);
  }

  function renderParts(node, scope) {
    const { source } = scope;
    let text = '';
    let at = node.range[0];
    for (const child of childrenOf(node)) {
      text += source.slice(at, child.range[0]);
      at = child.range[1];
      const isEnclosed = text.endsWith('(') && source[at] === ')';
      const operator = isEnclosed || isOperation(child) ? undefined : operatorOf(node);
      text +=
        operator === undefined
          ? render(child, scope)
          : renderOperand(child, scope, { operator, isRight: child === node.right });
    }
    return text + source.slice(at, node.range[1]);
  }

  /** The text of a part of an operation, in parentheses where what it stands for binds less tightly than the operator. */
  function renderOperand(node, scope, { operator, isRight }) {
    const inner = operatorIn(node, scope);
    const text = render(node, scope);
    if (inner === undefined) return text;
    const difference = precedenceOf(inner) - precedenceOf(operator);
    const isLoose =
      difference < 0 || (difference === 0 && isRight && !(inner === operator && CHAINS.includes(operator)));
    return isLoose ? `(${text})` : text;
  }

  /** The operator of what a name or a call stands for. */
  function operatorIn(node, scope) {
    if (constantOf(node, scope) !== undefined) return undefined;
    const given = node.type === 'Identifier' ? scope.given.get(node.name) : undefined;
    if (given !== undefined) return operatorIn(given.node, given.scope);
    if (node.type !== 'CallExpression') return operatorOf(node);
    const called = inline.get(node.base.name);
    if (called !== undefined) return operatorIn(called.node, scopeOf(called, node.arguments, scope));
    if (node.base.name === 'isOneOf') return 'or';
    return Object.hasOwn(BUILT_IN, node.base.name) ? '..' : undefined;
  }

  /** Texts of the values of a table, as parts of one text. */
  const valuesOf = (table, scope) =>
    Object.fromEntries(
      table.fields.map(({ key, value }) => [
        key.name,
        renderOperand(value, scope, { operator: '..', isRight: true }),
      ]),
    );

  /** The fields of a layout in their order. */
  const fieldsOf = (layout) => Object.keys(layout).filter((name) => name !== 'length');

  /** Values in place of fields of a record, and from where its rest is as it was. */
  function replaceFields(source, values) {
    const record = names.Record;
    const pieces = [];
    let keptFrom;
    for (const name of fieldsOf(record)) {
      const { from } = record[name];
      if (values[name] === undefined) keptFrom ??= from;
      else {
        if (keptFrom !== undefined) pieces.push(`sub(${source}, ${keptFrom}, ${from - 1})`);
        keptFrom = undefined;
        pieces.push(values[name]);
      }
    }
    return { pieces, keptFrom };
  }

  const BUILT_IN = {
    rewrite([source, table], scope) {
      const text = render(source, scope);
      const { pieces, keptFrom = names.Record.length + 1 } = replaceFields(text, valuesOf(table, scope));
      return [...pieces, `sub(${text}, ${keptFrom})`].join(' .. ');
    },
    rewriteFields([source, table], scope) {
      const text = render(source, scope);
      const { pieces, keptFrom } = replaceFields(text, valuesOf(table, scope));
      const kept = keptFrom === undefined ? [] : [`sub(${text}, ${keptFrom}, ${names.Record.length})`];
      return [...pieces, ...kept].join(' .. ');
    },
    write([layout, table], scope) {
      const values = valuesOf(table, scope);
      return fieldsOf(constantOf(layout, scope))
        .map((name) => values[name])
        .join(' .. ');
    },
    firstRecord([table, rest], scope) {
      const values = valuesOf(table, scope);
      const fields = fieldsOf(names.Record).map((name) => values[name] ?? literal(names.Record[name].zeros));
      return [...fields, rest === undefined ? String.raw`'\0\0'` : render(rest, scope)].join(' .. ');
    },
    inOrder([list, from], scope) {
      const order = fieldsOf(constantOf(list, scope));
      if (from.type !== 'TableConstructorExpression')
        return order.map((name) => `${render(from, scope)}.${name}`).join(', ');
      const values = valuesOf(from, scope);
      return order.map((name) => values[name]).join(', ');
    },
    each([values], scope) {
      return Object.values(constantOf(values, scope)).map(literal).join(', ');
    },
    isOneOf([code, text], scope) {
      return [...constantOf(text, scope)]
        .map((letter) => `${render(code, scope)} == ${letter.charCodeAt(0)}`)
        .join(' or ');
    },
  };

  return (source) => {
    const chunk = parseLua(source);
    const text = renderParts({ ...chunk, range: [0, source.length] }, { source, given: new Map() });
    return withoutComments(text).replaceAll(NUMBER_ALONE, '$<before>$<number>');
  };
}

/** A number that was computed needs no parentheses. */
const NUMBER_ALONE = /(?<before>[-+*/%] )\((?<number>\d+)\)/g;

function fold(operator, left, right) {
  if (operator === '..' && typeof left === 'string' && typeof right === 'string') return left + right;
  if (typeof left !== 'number' || typeof right !== 'number') return undefined;
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  return operator === '*' ? left * right : undefined;
}

/** Whether it is written with an operator: its parentheses are written, too. */
function isOperation(node) {
  return operatorOf(node) !== undefined;
}

function isLiteral({ type }) {
  return type.endsWith('Literal');
}

function literal(value) {
  if (typeof value === 'number') return `${value}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: marks are such characters
  const escaped = value.replace(/[\\']/g, '\\$&').replace(/[\0-\x1f](?=(\d?))/g, (mark, digit) => {
    const code = `${mark.charCodeAt(0)}`;
    return `\\${digit === '' ? code : code.padStart(3, '0')}`;
  });
  return `'${escaped}'`;
}

function operatorOf(node) {
  if (node.type === 'UnaryExpression') return node.operator === '-' ? 'unary' : node.operator;
  return node.type === 'BinaryExpression' || node.type === 'LogicalExpression' ? node.operator : undefined;
}

function textOf({ range }, { source }) {
  return source.slice(range[0], range[1]);
}

/** Where a node has the name of a property, which is no variable. */
const NAMES_IN = { MemberExpression: 'identifier', TableKeyString: 'key' };

/** The nodes within a node in the order in which they are written. */
function childrenOf(node) {
  return Object.entries(node)
    .filter(([key]) => !['comments', 'globals', NAMES_IN[node.type]].includes(key))
    .flatMap(([, value]) => value)
    .filter((value) => value !== null && typeof value === 'object' && value.range !== undefined)
    .sort((one, other) => one.range[0] - other.range[0]);
}

/** Comments are for readers. What the build does itself stays. */
function withoutComments(text) {
  const { comments } = parseLua(text);
  let kept = text;
  for (const { raw, range } of [...comments].reverse()) {
    if (!raw.startsWith('-- @make ') && !raw.startsWith('-- @include '))
      kept = kept.slice(0, range[0]) + kept.slice(range[1]);
  }
  return kept
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');
}
