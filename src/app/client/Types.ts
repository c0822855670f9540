import type * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import type { Simplify } from "effect/Types"
import type { ApiError } from "../../foundation/http/ApiError.ts"
import type { Sent } from "../../foundation/http/RequestSchemas.ts"

/** Status, `Location` and request id of an answer. */
export interface Metadata {
  /** 201 and 202 for something new; 200 for a read, and for something that was there before. */
  readonly status: number
  readonly location: string | undefined
  readonly requestId: string
}

type Written<A> = A extends Sent<infer I> ? Exclude<I, undefined> : A

/** Parameters as a caller writes them: numbers are allowed for numeric parameters. */
type Parameters<A, I> = { readonly [K in keyof I]: I[K] | (K extends keyof A ? Exclude<A[K], undefined> : never) }

/** A part of a call; optional when all of its fields are. */
type Part<K extends string, T> = [T] extends [never]
  ? unknown
  : Record<never, never> extends T
    ? { readonly [P in K]?: T }
    : { readonly [P in K]: T }

type Texts<Path> = [Path] extends [never] ? never : { readonly [K in keyof Path]: string }

/** A creation whose body the contract does not describe takes a file. */
type FileOf<Headers> = [Headers] extends [never] ? unknown : { readonly file?: Uint8Array }

type Input<Path, Query, Body, Headers> = Simplify<
  Part<"path", Texts<Path>> &
    Part<"query", [Query] extends [never] ? never : Parameters<Query, Written<Query>>> &
    Part<"body", [Body] extends [never] ? never : Written<Body>> &
    ([Headers] extends [never] ? unknown : { readonly idempotencyKey?: string }) &
    ([Body] extends [never] ? FileOf<Headers> : unknown) & {
      /** Seconds to wait for the end of a run, or for an event of a list of events, 50 at most; other operations do not wait. */
      readonly wait?: number
    }
>

type Arguments<I> = Record<never, never> extends I ? readonly [input?: I] : readonly [input: I]

type Answer<Success> = [Success] extends [void] ? Metadata : Success & Metadata

type Operation<Endpoint, Errors> = [Endpoint] extends [
  HttpApiEndpoint.HttpApiEndpoint<
    infer _Name,
    infer _Method,
    infer Path,
    infer Query,
    infer Body,
    infer Headers,
    infer Success,
    infer Error,
    infer _R,
    infer _RE
  >
]
  ? (
      ...input: Arguments<Input<Path, Query, Body, Headers>>
    ) => Effect.Effect<
      Answer<Success>,
      Extract<Error | Errors, ApiError> | HttpClientError.HttpClientError | ParseResult.ParseError
    >
  : never

type Operations<Group extends HttpApiGroup.HttpApiGroup.Any, Errors> = {
  readonly [E in HttpApiGroup.HttpApiGroup.Endpoints<Group> as HttpApiEndpoint.HttpApiEndpoint.Name<E>]: Operation<
    E,
    Errors | HttpApiGroup.HttpApiGroup.Error<Group>
  >
}

type Camel<Id extends string> = Id extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Id

type NameOf<Group extends HttpApiGroup.HttpApiGroup.Any> = Camel<HttpApiGroup.HttpApiGroup.Name<Group>>

/** The client of a contract: its groups but `system`, and in each its operations. */
export type ClientOf<A> =
  A extends HttpApi.HttpApi<infer _Id, infer Groups, infer Errors, infer _R>
    ? {
        readonly [G in Exclude<Groups, { readonly identifier: "system" }> as NameOf<G>]: Operations<G, Errors>
      }
    : never
