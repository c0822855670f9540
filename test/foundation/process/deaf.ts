/** A program that prints a word every few milliseconds and never reads its input. */
setInterval(() => console.log("word"), 2)
