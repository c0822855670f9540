import * as Data from "effect/Data"
import type { JsonPath } from "./Json.ts"

/** A report that cannot be read: names the file, the field and what is wrong with it; holds no value of the file. */
export class ReportUnreadable extends Data.TaggedError("ReportUnreadable")<{
  readonly source: string
  readonly field: string
  readonly reason: string
}> {
  override get message(): string {
    return this.field === "" ? `${this.source}: ${this.reason}` : `${this.source}: ${this.field}: ${this.reason}`
  }
}

/** `categories.seo.score`, `audits["a b"].score`: a path the way JavaScript would write it. */
const fieldName = (path: JsonPath): string =>
  path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`
    const key = step.slice(0, 80)
    if (!/^[\w-]+$/.test(key)) return `${name}[${JSON.stringify(key)}]`
    return name === "" ? key : `${name}.${key}`
  }, "")

/** The error for one field of one source. */
export const unreadable = (source: string, path: JsonPath, reason: string): ReportUnreadable =>
  new ReportUnreadable({ source, field: fieldName(path), reason })
