import * as Data from "effect/Data"

// Errors of use cases, for every caller: `withApiErrors` of `http/ApiError.ts` maps them to the API's errors, the command line prints their message.

/** The thing does not exist, or another account owns it; the caller cannot tell which. */
export class NotFound extends Data.TaggedError("NotFound")<{ readonly message: string }> {
  static of(thing: string): NotFound {
    return new NotFound({ message: `No ${thing} found with this id. Check the id, and the account that it belongs to` })
  }
}

/** The state of the thing does not allow the request. */
export class Conflict extends Data.TaggedError("Conflict")<{ readonly message: string }> {}

/** One invalid field: its dotted path and its problem. */
interface Problem {
  readonly path: string
  readonly message: string
}

/** One problem as a full sentence. A problem of the whole request is a sentence already. */
const problemOf = (path: string, message: string) => (path === "body" ? message : `${path} ${message}`)

/** Well-formed input that cannot be accepted. */
export class Invalid extends Data.TaggedError("Invalid")<{
  readonly message: string
  readonly details: ReadonlyArray<Problem>
}> {
  static of(path: string, message: string): Invalid {
    return new Invalid({ details: [{ message, path }], message: problemOf(path, message) })
  }
}

/** A command cannot be carried out; `message` tells the administrator why. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}
