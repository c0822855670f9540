import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { FileBody } from "../../foundation/http/Contract.ts"
import { Exportable } from "../../foundation/http/Format.ts"

/** Facts of an operation in the contract that the generated document lacks. */
export interface Facts {
  /** The scope that a key needs; undefined for operations without a key. */
  readonly scope: string | undefined
  /** Whether its whole list is also available as CSV and NDJSON. */
  readonly isExportable: boolean
  /** Description of the file that is its body; undefined for other bodies. */
  readonly file: string | undefined
  /** Descriptions of query parameters and headers, by name. */
  readonly parameters: Readonly<Record<string, string>>
  /** Descriptions of the fields of its body, by name. */
  readonly fields: Readonly<Record<string, string>>
}

/** What is known of an operation that is not in the contract. */
export const noFacts: Facts = { fields: {}, file: undefined, isExportable: false, parameters: {}, scope: undefined }

/** Texts of the fields themselves: where a struct has defaults, the platform writes only those of their schemas. */
const texts = (schema: Option.Option<Schema.Schema.All>): Readonly<Record<string, string>> =>
  Option.match(schema, {
    onNone: () => ({}),
    onSome: ({ ast }) =>
      Record.fromEntries(
        AST.getPropertySignatures(AST.isTransformation(ast) ? ast.to : ast).flatMap((signature) =>
          Option.toArray(AST.getDescriptionAnnotation(signature)).map((text) => [String(signature.name), text] as const)
        )
      )
  })

/** The facts of every operation, by method and path as the document writes them. */
export const factsOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): ReadonlyMap<string, Facts> => {
  const facts = new Map<string, Facts>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const key = Array.from(middleware, (tag) => tag.key).find((name) => name.startsWith("scope/"))
      facts.set(`${endpoint.method.toLowerCase()} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`, {
        fields: texts(endpoint.payloadSchema),
        file: Option.getOrUndefined(Context.getOption(endpoint.annotations, FileBody)),
        isExportable: Option.isSome(Context.getOption(endpoint.annotations, Exportable)),
        parameters: { ...texts(endpoint.urlParamsSchema), ...texts(endpoint.headersSchema) },
        scope: key?.slice("scope/".length)
      })
    }
  })
  return facts
}
