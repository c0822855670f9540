import * as HttpApi from "@effect/platform/HttpApi"
import * as Context from "effect/Context"
import type * as AST from "effect/SchemaAST"
import { Api } from "../../../src/Api.ts"
import { BodyLimit } from "../../../src/foundation/http/Contract.ts"

/** An endpoint of the contract, with the properties that tests of failures need. */
export interface Endpoint {
  readonly title: string
  readonly method: string
  /** Its path with `:parameters`. */
  readonly path: string
  /** The required scope; undefined for endpoints without a key. */
  readonly scope: string | undefined
  readonly hasBody: boolean
  /** Its body is a file of another program, with fields outside of the contract. */
  readonly isForeign: boolean
  /** Maximum bytes of its body. */
  readonly bodyLimit: number
  readonly isList: boolean
}

/** A list is the export of another tool, and so is an object with arbitrary fields. */
const isOpen = (ast: AST.AST) =>
  ast._tag === "TupleType" || (ast._tag === "TypeLiteral" && ast.indexSignatures.length > 0)

const collect = (): ReadonlyArray<Endpoint> => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware }) => {
      const key = [...middleware].map((tag) => tag.key).find((name) => name.startsWith("scope/"))
      found.push({
        hasBody: endpoint.payloadSchema._tag === "Some",
        isForeign: endpoint.payloadSchema._tag === "Some" && isOpen(endpoint.payloadSchema.value.ast),
        bodyLimit: Context.get(endpoint.annotations, BodyLimit),
        isList: endpoint.urlParamsSchema._tag === "Some" && "cursor" in Object(endpoint.urlParamsSchema.value).fields,
        method: endpoint.method,
        path: endpoint.path,
        scope: key?.slice("scope/".length),
        title: `${endpoint.method} ${endpoint.path} (${group.identifier})`
      })
    }
  })
  return found
}

/** Every endpoint of the contract. */
export const endpoints = collect()

/** Endpoints that need a key. */
export const keyed = endpoints.filter(({ scope }) => scope !== undefined)

/** The path with each parameter replaced. */
export const filled = ({ path }: Pick<Endpoint, "path">, value: string) => path.replace(/:\w+/g, value)

/** Site health names the reason for a refused key in the code; other endpoints return `unauthorized`. */
export const namesReasons = ({ scope }: Endpoint) => scope?.startsWith("site-health:") ?? false
