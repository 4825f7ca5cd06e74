// Where the texel at `at` lies in an image of `width` columns.
uint place(uvec2 at, uint width) { return at.y * width + at.x; }
