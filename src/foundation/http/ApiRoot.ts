import * as HttpApi from "@effect/platform/HttpApi"
import { failure } from "./ApiError.ts"

/** The API without groups: its name, and the errors of every request. A room builds the handlers of its group against this and the group alone. */
export const apiRoot = HttpApi.make("findable")
  .addError(failure("internal_error"))
  .addError(failure("service_unavailable"))
