import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { type ApiError, apiError } from "../../foundation/http/ApiError.ts"
import type { Entropy } from "../../foundation/secrets/Entropy.ts"
import type { Client } from "../client/Client.ts"
import { worded } from "../server/ErrorAnswer.ts"
import { type InputSchema, inputSchemaOf } from "./Schemas.ts"

/** How far a call is that waits. */
export interface Progress {
  readonly done: number
  readonly total: number
  readonly message: string
}

export type Report = (progress: Progress) => Effect.Effect<void>

/** What a call of a tool works with. */
export interface Call {
  readonly client: Client
  /** Whether the key grants a scope. */
  readonly grants: (scope: string) => boolean
  /** Tells the caller how far a wait is; undefined where it did not ask for that. */
  readonly report: Report | undefined
  /** Ends when the node begins to stop. */
  readonly stopping: Effect.Effect<void>
}

/** Failures of a call: those of the API, which an agent can act on, and defects. */
export type Failure = ApiError | HttpClientError.HttpClientError | ParseResult.ParseError

type Result = Effect.Effect<string, Failure, Entropy>

/** What clients show of a tool, and what they may take for granted (MCP, tool annotations). */
interface Declaration {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: {
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint: boolean
    readonly readOnlyHint?: boolean
  }
}

/** A tool: its declaration as agents read it, and a call by arguments that nothing has checked yet. */
export interface Tool {
  readonly declaration: Declaration & { readonly inputSchema: InputSchema }
  readonly call: (args: unknown, call: Call) => Result
}

/** Problems of arguments that an error names, and characters of each and of its path: a problem may quote all that was sent. */
const [problems, longestProblem, longestPath] = [10, 200, 100]

const invalid = (error: ParseResult.ParseError) => {
  const found = ParseResult.ArrayFormatter.formatErrorSync(error)
  const details = found.slice(0, problems).map(({ message, path }) => {
    const name = path.map(String).join(".") || "arguments"
    return { message: worded(name, message).slice(0, longestProblem), path: name.slice(0, longestPath) }
  })
  return apiError("validation_error", details.map(({ message, path }) => `${path} ${message}`).join("; "), { details })
}

/** A tool of the API's operations. */
export const tool = <A, I>(
  declaration: Declaration,
  input: Schema.Schema<A, I>,
  run: (args: A, call: Call) => Result
): Tool => {
  const decode = Schema.decodeUnknownEither(input, { errors: "all", onExcessProperty: "error" })
  return {
    call: (args, call) => Either.match(decode(args), { onLeft: invalid, onRight: (args) => run(args, call) }),
    declaration: { ...declaration, inputSchema: inputSchemaOf(input) }
  }
}

/** Annotations of tools that read. */
export const reading = { readOnlyHint: true, openWorldHint: false } as const
