import policySchema from '@retry/core/policy.schema.json' with { type: 'json' };
import type { Place } from './scan-json.ts';

/** The parts of JSON Schema that the schema of policies uses. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** The imported type of each object lists its own keys only. */
const SCHEMA: SchemaNode = policySchema;

/** Returns what the schema says of a path, one node for each of its branches that the text does not rule out. */
export function nodesAt(path: string, places: ReadonlyMap<string, Place>): readonly SchemaNode[] {
  const steps = path.match(/[^.[\]]+|\[\d+\]/g) ?? [];
  let nodes = branchesOf(SCHEMA);
  let at = '';
  for (const step of steps) {
    nodes = nodes.flatMap((node) => {
      const child = step.startsWith('[') ? node.items : node.properties?.[step];
      return child === undefined ? [] : branchesOf(child);
    });
    at = step.startsWith('[') || at === '' ? `${at}${step}` : `${at}.${step}`;
    nodes = nodes.filter((node) => agrees(node, places.get(`${at}.type`)?.scalar));
  }
  return nodes;
}

/** Returns the node and what it refers to: every branch of `oneOf` instead of the list, each with its description. */
export function branchesOf(node: SchemaNode): readonly SchemaNode[] {
  const { $ref, ...own } = node;
  const target = $ref === undefined ? undefined : SCHEMA.$defs?.[$ref.slice('#/$defs/'.length)];
  const whole: SchemaNode = target === undefined ? node : { ...target, ...own };
  if (whole.oneOf === undefined) return [whole];
  const { oneOf, ...rest } = whole;
  return [rest, ...oneOf.flatMap(branchesOf)];
}

/** Whether an object of this kind may have the written `type`; while one is being typed, it may be any. */
function agrees({ properties }: SchemaNode, written: string | undefined): boolean {
  const type = properties?.['type']?.const;
  return type === undefined || written === undefined || !isKnownType(written) || type === written;
}

function isKnownType(written: string): boolean {
  return Object.values(SCHEMA.$defs ?? {}).some(({ properties }) => properties?.['type']?.const === written);
}
