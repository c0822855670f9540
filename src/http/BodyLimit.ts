import * as Context from "effect/Context"

/** Bytes that the body of a request may have, as an annotation of an endpoint: 256 KiB where it says nothing. */
export class BodyLimit extends Context.Reference<BodyLimit>()("http/BodyLimit", { defaultValue: () => 256 * 1024 }) {}
