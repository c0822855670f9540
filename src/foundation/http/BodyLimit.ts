import * as Context from "effect/Context"

/** Bytes that the body of a request may have, as an annotation of an endpoint: 256 KiB where it says nothing. */
export class BodyLimit extends Context.Reference<BodyLimit>()("http/BodyLimit", { defaultValue: () => 256 * 1024 }) {}

/** Values that the body of a request may hold, those within others counted too: 1,000 where an endpoint says nothing. */
export class BodyValues extends Context.Reference<BodyValues>()("http/BodyValues", { defaultValue: () => 1000 }) {}
