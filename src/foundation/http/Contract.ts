import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import { failure } from "./ApiError.ts"

/** The API without groups: its name, and the errors of every request. A room builds the handlers of its group against this and the group alone. */
export const apiRoot = HttpApi.make("findable")
  .addError(failure("internal_error"))
  .addError(failure("service_unavailable"))

/** Summary and description of an endpoint in the reference. Scope, limits and errors are added from the contract. */
export const described = (summary: string, description: string) => OpenApi.annotations({ description, summary })

/** Description of a group of endpoints. */
export const about = (description: string) => OpenApi.annotations({ description })

/** Bytes of a request's body at most, an annotation of an endpoint; 256 KiB by default. */
export class BodyLimit extends Context.Reference<BodyLimit>()("http/BodyLimit", { defaultValue: () => 256 * 1024 }) {}

/** Values in a request's body at most, nested ones included; 1,000 by default. */
export class BodyValues extends Context.Reference<BodyValues>()("http/BodyValues", { defaultValue: () => 1000 }) {}

/** Lists of a request's body that may be long, by their paths, as `design.exclude`; outside of them, and in each of their members, are 1,000 values at most. None by default. */
export class BodyLists extends Context.Reference<BodyLists>()("http/BodyLists", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

/** Bytes of one text in a request's body at most, escapes included; 32 KiB by default. */
export class BodyText extends Context.Reference<BodyText>()("http/BodyText", { defaultValue: () => 32_768 }) {}

/** Fields of one object in a request's body at most; 100 by default. */
export class BodyFields extends Context.Reference<BodyFields>()("http/BodyFields", { defaultValue: () => 100 }) {}

/** Marks an endpoint whose body is a file of any type, read as it arrives; the text describes the file. */
export class FileBody extends Context.Tag("http/FileBody")<FileBody, string>() {}

/** The mark, for a contract. */
export const fileBody = (description: string) => Context.make(FileBody, description)
