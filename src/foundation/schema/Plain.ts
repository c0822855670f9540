import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** A reader's result for a value that does not fit its schema. */
const refused = Symbol("refused")

type Reader = (value: unknown) => unknown

const when =
  (fits: (value: unknown) => boolean): Reader =>
  (value) =>
    fits(value) ? value : refused

const isObject = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const refinement = (ast: AST.Refinement): Reader | undefined => {
  const read = readerOf(ast.from)
  return (
    read &&
    ((value) => {
      const found = read(value)
      return found !== refused && Option.isNone(ast.filter(found, {}, ast)) ? found : refused
    })
  )
}

const object = ({ indexSignatures, propertySignatures }: AST.TypeLiteral): Reader | undefined => {
  const fields: Array<{ readonly name: PropertyKey; readonly isOptional: boolean; readonly read: Reader }> = []
  for (const { isOptional, name, type } of propertySignatures) {
    const read = readerOf(type)
    if (read === undefined) return undefined
    fields.push({ isOptional, name, read })
  }
  if (indexSignatures.length > 0 || fields.length === 0) return undefined
  return (value) => {
    if (!isObject(value)) return refused
    const found: Record<PropertyKey, unknown> = {}
    for (const { isOptional, name, read } of fields) {
      const field = value[name]
      if (isOptional && field === undefined && !(name in value)) continue
      const known = read(field)
      if (known === refused) return refused
      found[name] = known
    }
    return found
  }
}

const array = ({ elements, rest }: AST.TupleType): Reader | undefined => {
  const [each, ...more] = rest
  const read = each === undefined || more.length > 0 || elements.length > 0 ? undefined : readerOf(each.type)
  return (
    read &&
    ((value) => {
      if (!Array.isArray(value)) return refused
      const found: Array<unknown> = []
      for (const item of value) {
        const known = read(item)
        if (known === refused) return refused
        found.push(known)
      }
      return found
    })
  )
}

const isScalar = (ast: AST.AST): boolean =>
  AST.isRefinement(ast) ? isScalar(ast.from) : !(AST.isTypeLiteral(ast) || AST.isTupleType(ast) || AST.isUnion(ast))

/** A union of several structured members is left to the schema library, which decides their order. */
const union = ({ types }: AST.Union): Reader | undefined => {
  if (types.filter((type) => !isScalar(type)).length > 1) return undefined
  const readers: Array<Reader> = []
  for (const type of types) {
    const read = readerOf(type)
    if (read === undefined) return undefined
    readers.push(read)
  }
  return (value) => {
    for (const read of readers) {
      const found = read(value)
      if (found !== refused) return found
    }
    return refused
  }
}

/** The reader of a schema without transformations; undefined for a transformation or an unknown kind of schema. */
const readerOf = (ast: AST.AST): Reader | undefined => {
  if (AST.ParseOptionsAnnotationId in ast.annotations || AST.DecodingFallbackAnnotationId in ast.annotations)
    return undefined
  switch (ast._tag) {
    case "StringKeyword":
      return when((value) => typeof value === "string")
    case "NumberKeyword":
      return when((value) => typeof value === "number")
    case "BooleanKeyword":
      return when((value) => typeof value === "boolean")
    case "UndefinedKeyword":
      return when((value) => value === undefined)
    case "UnknownKeyword":
      return (value) => value
    case "Declaration":
      return ast.typeParameters.length === 0 ? when(Schema.is(Schema.make(ast))) : undefined
    case "Literal":
      return when((value) => value === ast.literal)
    case "Refinement":
      return refinement(ast)
    case "TypeLiteral":
      return object(ast)
    case "TupleType":
      return array(ast)
    case "Union":
      return union(ast)
    default:
      return undefined
  }
}

/** Checks by plain functions where the schema has no transformations; values that these refuse go to `thorough`. */
const quick = (schema: Schema.Schema<unknown>, thorough: (value: unknown) => unknown) => {
  const read = readerOf(schema.ast)
  if (read === undefined) return thorough
  return (value: unknown) => {
    const found = read(value)
    return found === refused ? thorough(value) : found
  }
}

/**
 * Decodes by a schema. A schema without transformations, such as that of a row, is checked by plain functions instead of the schema library's own
 * steps, at a twentieth of the cost. The library decodes what these refuse, so that its error names the problem.
 */
export function decoder<A, I>(schema: Schema.Schema<A, I>): (value: unknown) => A
export function decoder(schema: Schema.Schema<unknown>): (value: unknown) => unknown {
  return quick(schema, Schema.decodeUnknownSync(schema))
}

/** Encodes by a schema; one without transformations is checked by the same plain functions. */
export function encoder<A, I>(schema: Schema.Schema<A, I>): (value: A) => I
export function encoder(schema: Schema.Schema<unknown>): (value: unknown) => unknown {
  return quick(schema, Schema.encodeSync(schema))
}
