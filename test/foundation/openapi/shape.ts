import { isJson, type Json } from "../../../src/foundation/openapi/Operation.ts"

const objects = (list: ReadonlyArray<unknown>): ReadonlyArray<Json> => list.filter(isJson)

const ofLists = (
  example: ReadonlyArray<unknown>,
  answer: ReadonlyArray<unknown>,
  at: string
): ReadonlyArray<string> => {
  if ((example.length === 0) !== (answer.length === 0)) return [`${at} is empty in one of them`]
  const items = objects(answer)
  return objects(example).flatMap((item, index) => {
    const often = Object.keys(items[0] ?? {}).filter((name) => items.every((other) => name in other))
    return [
      ...often.filter((name) => !(name in item)).map((name) => `${at}.${index}.${name} is missing`),
      ...Object.entries(item).flatMap(([name, value]) => {
        const having = items.filter((other) => name in other)
        const alike = having.find((other) => shapeProblems(value, other[name], "").length === 0) ?? having[0]
        return alike === undefined
          ? [`${at}.${index}.${name} is in no answer`]
          : shapeProblems(value, alike[name], `${at}.${index}.${name}`)
      })
    ]
  })
}

/**
 * Places where an example has another shape than an answer: other fields, other types, a list that is empty in one alone. What may be null is so in either.
 * Lists of examples are cut, so an entry has the fields that all of the answer's have, and others that at least one of them has.
 */
export const shapeProblems = (example: unknown, answer: unknown, at: string): ReadonlyArray<string> => {
  if (example === null || answer === null) return []
  if (Array.isArray(example) && Array.isArray(answer)) return ofLists(example, answer, at)
  if (isJson(example) && isJson(answer)) {
    const names = new Set([...Object.keys(example), ...Object.keys(answer)])
    return [...names].flatMap((name) =>
      name in example && name in answer
        ? shapeProblems(example[name], answer[name], `${at}.${name}`)
        : [`${at}.${name} is in ${name in example ? "the example" : "the answer"} alone`]
    )
  }
  return typeof example === typeof answer ? [] : [`${at} is ${typeof example}, and ${typeof answer} in the answer`]
}
