/* A header of the system's, or of the library's host side, that kernels do without: the prelude has what they need. */
