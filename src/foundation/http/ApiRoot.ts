import * as HttpApi from "@effect/platform/HttpApi"
import { failure } from "./ApiError.ts"

/** The API without any group: its name, and what may happen to every request. A room builds its group's handlers against this and the group alone. */
export const apiRoot = HttpApi.make("findable")
  .addError(failure("internal_error"))
  .addError(failure("service_unavailable"))
