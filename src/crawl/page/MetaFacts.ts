import type { RobotsDirectives } from "./RobotsDirectives.ts"

/** One `meta` element; absent attributes are null, names are lower-cased and trimmed. */
export interface MetaFacts {
  readonly name: string | null
  readonly property: string | null
  readonly httpEquiv: string | null
  readonly charset: string | null
  readonly content: string | null
  /** Whether the parser left the element in `<head>`: an element that is invalid there ends the head. */
  readonly inHead: boolean
}

/** A robots `meta` element; `agent` is its lower-cased name (`robots`, `findablebot`, `googlebot`). */
export interface RobotsMeta {
  readonly agent: string
  readonly content: string
  readonly inHead: boolean
  readonly directives: RobotsDirectives
}
