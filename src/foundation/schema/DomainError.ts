import * as Data from "effect/Data"

// What use cases fail with, whoever asked: `http/WithApiErrors.ts` makes the API's errors of them, and the command line prints the sentence.

/** There is no such thing, or it is another account's: both are told alike. */
export class NotFound extends Data.TaggedError("NotFound")<{ readonly message: string }> {
  static of(thing: string): NotFound {
    return new NotFound({ message: `There is no such ${thing}` })
  }
}

/** The state of the thing does not allow what was asked. */
export class Conflict extends Data.TaggedError("Conflict")<{ readonly message: string }> {}

/** One invalid field: where it is, dotted, and what is wrong with it. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** Input that has the right form but cannot be accepted. */
export class Invalid extends Data.TaggedError("Invalid")<{
  readonly message: string
  readonly details: ReadonlyArray<Problem>
}> {
  static of(path: string, message: string): Invalid {
    return new Invalid({ details: [{ message, path }], message: `Invalid: ${path}` })
  }
}

/** What an operator asked for cannot be done; `message` is one sentence for them. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}
