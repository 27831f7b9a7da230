/* Empty stand-in for a system header, or a host header of the library: the prelude has what kernels need of it. */
