"""Weft beside other packages, a module each: meshio (meshes in), pyvista (steps out), petsc (vectors and a monitor)."""
