/**
 * SQL files as the server gets them: without comments, with the values of names that begin with a capital letter, with the
 * expressions of inline functions in place of their calls, and with the lines of the parts that they include.
 * docs/server-code.md says how such files are written.
 */

const TOKEN =
  /(?<space>\s+)|(?<comment>--[^\n]*)|(?<text>'(?:[^']|'')*')|(?<quoted>"[^"]*")|(?<tag>\$\w*\$)|(?<word>[A-Za-z_]\w*)|(?<number>\d+(?:\.\d+)?)|(?<sign>->>|=>|:=|::|<>|<=|>=|\|\||->|[^\s\w])/g;

/** Splits SQL into tokens; nothing of it is lost. */
export function tokensOf(text) {
  return [...text.matchAll(TOKEN)].map(({ 0: token, groups }) => ({
    kind: Object.keys(groups).find((name) => groups[name] !== undefined),
    text: token,
  }));
}

const textOf = (tokens) => tokens.map(({ text }) => text).join('');

/** The inline functions of a file, by their names: `create function isDue(...) returns boolean return <expression>;` */
export function readInline(source) {
  const pattern =
    /^create function (?<name>[a-z]+[A-Z]\w*)\((?<parameters>[^)]*)\) returns [^\n]*?\breturn\b\s*(?<body>[\s\S]*?);$/gm;
  return [...source.matchAll(pattern)].map(({ groups: { name, parameters, body } }) => [
    name,
    {
      parameters: parameters.split(',').flatMap((one) => one.trim().split(' ')[0] || []),
      body: withoutComments(body),
    },
  ]);
}

/**
 * Returns a function that includes parts: `-- @include name flag flag`. In a part, the lines between `-- @if flag` and `-- @else` or
 * `-- @end` are for those that include it with this flag, or are included so.
 *
 * @param parts - the texts of the parts by their names
 */
export function createIncluder(parts) {
  return function include(text, flags = []) {
    const lines = [];
    const branches = [];
    for (const line of text.split('\n')) {
      const { indent, verb, words } =
        /^(?<indent> *)-- @(?<verb>include|if|else|end)(?<words>.*)$/.exec(line)?.groups ?? {};
      const [name, ...own] = (words ?? '').split(' ').filter((word) => word !== '');
      const isTaken = branches.every((isOn) => isOn);
      if (verb === 'if') branches.push(flags.includes(name));
      else if (verb === 'else') branches.push(!branches.pop());
      else if (verb === 'end') branches.pop();
      else if (verb === 'include' && isTaken)
        lines.push(include(partOf(parts, name), [...flags, ...own]).replaceAll(/^(?=.)/gm, indent));
      else if (isTaken) lines.push(line);
    }
    if (branches.length > 0) throw new Error('An @if has no @end.');
    return lines.join('\n');
  };
}

function partOf(parts, name) {
  const part = parts.get(name);
  if (part === undefined) throw new Error(`There is no parts/${name}.sql.`);
  return part.trimEnd();
}

/**
 * Returns a function that expands the text of an SQL file.
 *
 * @param names - values by their names; a list is written with commas, and a `bigint` as a number
 * @param inline - inline functions by their names
 */
export function createExpander(names, inline) {
  const builtIn = {
    /** Named expressions in the order of a list: each of its names once, and no other. */
    inOrder([list, ...given]) {
      const order = valueAt(textOf(list).trim());
      const values = new Map(given.map(namedArgument).map(({ name, value }) => [name, textOf(value).trim()]));
      const unknown = [...values.keys()].filter((name) => !order.includes(name));
      const missing = order.filter((name) => !values.has(name));
      if (unknown.length + missing.length > 0)
        throw new Error(`${textOf(list)}: unknown [${unknown}], missing [${missing}].`);
      return order.map((name) => values.get(name)).join(', ');
    },
    /** The name that belongs to a letter. */
    nameOf([letter, table]) {
      const whens = Object.entries(valueAt(textOf(table).trim())).map(
        ([key, name]) => `when ${literal(key)} then ${literal(name)}`,
      );
      return `case ${textOf(letter).trim()} ${whens.join(' ')} end`;
    },
  };

  function valueAt(path) {
    let value = names;
    for (const name of path.split('.')) {
      if (!Object.hasOwn(value, name)) throw new Error(`There is no ${path}.`);
      value = value[name];
    }
    return value;
  }

  function expand(tokens, given = new Map()) {
    let text = '';
    for (let at = 0; at < tokens.length; at++) {
      const { kind, text: word } = tokens[at];
      const isField = text.endsWith('.');
      if (kind !== 'word' || isField) text += word;
      else if (given.has(word) && nextSign(tokens, at) !== '=>') text += given.get(word);
      else if (builtIn[word] !== undefined || inline.has(word)) {
        const { parts, end } = argumentsAt(tokens, at + 1);
        text +=
          builtIn[word] === undefined
            ? call(word, parts, given)
            : expand(tokensOf(builtIn[word](parts)), given);
        at = end;
      } else if (/^[A-Z]/.test(word)) {
        const end = endOfPath(tokens, at);
        text += literal(valueAt(textOf(tokens.slice(at, end + 1))));
        at = end;
      } else text += word;
    }
    return text;
  }

  /** The expression of an inline function. Arguments are given by their places, or by name as `low => p_low`. */
  function call(name, parts, given) {
    const { parameters, body } = inline.get(name);
    const values = new Map(
      parts.map((part, index) => {
        const { name: parameter = parameters[index], value } = namedArgument(part);
        return [parameter, expand(value, given).trim()];
      }),
    );
    const wrong = [...values.keys()].filter((parameter) => !parameters.includes(parameter));
    if (wrong.length > 0 || values.size !== parameters.length)
      throw new Error(`${name} takes [${parameters}], got [${[...values.keys()]}].`);
    return expand(tokensOf(body), values);
  }

  /** The last token of a dotted name: it ends at a value. */
  function endOfPath(tokens, at) {
    let path = tokens[at].text;
    let end = at;
    while (isTable(valueAt(path)) && tokens[end + 1]?.text === '.') {
      end += 2;
      path += `.${tokens[end].text}`;
    }
    return end;
  }

  return (source) => expand(tokensOf(withoutComments(source)));
}

/** An argument, and the name before `=>` if it has one. */
function namedArgument(tokens) {
  const [name, sign] = tokens.filter(({ kind }) => kind !== 'space');
  if (sign?.text !== '=>') return { value: tokens };
  return { name: name.text, value: tokens.slice(tokens.indexOf(sign) + 1) };
}

function isTable(value) {
  return typeof value === 'object' && !Array.isArray(value) && !Object.hasOwn(value, 'sql');
}

/** The arguments of the call whose parenthesis is at this token, and where it ends. */
function argumentsAt(tokens, from) {
  if (tokens[from]?.text !== '(') throw new Error(`An inline function is called without (.`);
  const parts = [[]];
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const { text } = tokens[at];
    if (text === '(' || text === '[') depth++;
    if (text === ')' || text === ']') depth--;
    if (depth === 0)
      return { parts: parts.length === 1 && textOf(parts[0]).trim() === '' ? [] : parts, end: at };
    if (depth === 1 && text === ',') parts.push([]);
    else if (at > from) parts.at(-1).push(tokens[at]);
  }
  throw new Error('A parenthesis is not closed.');
}

function nextSign(tokens, at) {
  return tokens.slice(at + 1).find(({ kind }) => kind !== 'space')?.text;
}

function literal(value) {
  if (Array.isArray(value)) return value.map(literal).join(', ');
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'number' || typeof value === 'bigint') return `${value}`;
  if (typeof value?.sql === 'string') return value.sql;
  throw new Error('A table is no value.');
}

/** Comments are for readers. */
export function withoutComments(source) {
  const text = textOf(tokensOf(source).filter(({ kind }) => kind !== 'comment'));
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');
}

/** Splits a text at the lines that begin with `create`. The head of each is one line: a migration compares heads. */
export function definitionsOf(text) {
  return text
    .split(/^(?=create )/m)
    .map((definition) => definition.trim())
    .filter((definition) => definition !== '')
    .map((definition) => {
      const [head, ...body] = definition.split(/(?= as \$\$|\nas \$\$)/);
      return body.length === 0 ? definition : `${oneLine(head)} ${body.join('').trimStart()}`;
    });
}

function oneLine(head) {
  return head.replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim();
}

/** The name of what a definition creates, and its parameters without those that it returns, in their order. */
export function signatureOf(definition) {
  const { name, list } =
    /^create (?:function|view) (?<name>\w+)(?:\((?<list>.*?)\) returns )?/.exec(definition)?.groups ?? {};
  const parameters = (list ?? '').split(', ').filter((one) => one !== '' && !one.startsWith('out '));
  return { name, parameters: parameters.map((one) => one.split(/ (.*)/).slice(0, 2)) };
}

/** Definitions in the order in which they can be created: each behind those that it names. */
export function inOrderOfUse(definitions) {
  const byName = new Map(definitions.map((definition) => [signatureOf(definition).name, definition]));
  const placed = new Set();
  const ordered = [];
  const place = (definition) => {
    if (placed.has(definition)) return;
    placed.add(definition);
    for (const { kind, text } of tokensOf(definition)) {
      const used = kind === 'word' ? byName.get(text) : undefined;
      if (used !== undefined && used !== definition) place(used);
    }
    ordered.push(definition);
  };
  for (const definition of definitions) place(definition);
  return ordered;
}
